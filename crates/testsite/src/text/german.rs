//! German: what is written on the forum of the same town.

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    (
        "post",
        &[
            "{opening} Hat hier schon jemand {product} mit {thing} ausprobiert? Meins hat nach {#} Tagen aufgegeben, und {company} will das Porto nicht zahlen. {closing}",
            "Ich wollte am {day} mit dem frühen Bus nach {place}, und {road} war schon wieder gesperrt. {closing}",
            "Zu verkaufen: {product}, {#} Monate alt, {adjective}, aber es läuft. Abzuholen in {place}. {closing}",
            "{opening} Die Pläne für {project} liegen bis {day} aus. Ich habe {#} Fehler gezählt. {closing}",
            "Erinnert sich jemand an die {ordinal} Sitzung zu {project}? {person} hat damals mitgeschrieben, glaube ich. {closing}",
        ],
    ),
    (
        "reply",
        &[
            "{opening} Bei mir ging es nach {#} Versuchen, und zwar mit {thing}. {closing}",
            "Hier in {place} ist es genauso, seit {month} schon. {closing}",
            "{opening} Frag doch {person}, keiner kennt sich mit {thing} besser aus.",
            "{company} hat mir im {month} das Gegenteil erzählt, und zwar {#} Minuten lang. {closing}",
            "{opening} Nimm {product}, das kostet {#} Kronen weniger. {closing}",
        ],
    ),
    (
        "comment",
        &[
            "{opening} Ich wohne seit {#} Jahren in {place}, und wegen {project} hat uns nie jemand gefragt. {closing}",
            "Mein Schwager arbeitet bei {company} und sagt, {thing} war nie vorgesehen. {closing}",
            "{opening} Wozu {project}, wenn {road} immer noch {#} Schlaglöcher hat? {closing}",
            "Bei uns in {place} war das auch so, im {month}. {closing}",
            "{opening} {company} hat uns {thing} versprochen, bekommen haben wir {project}.",
            "Bin ich der einzige, der {project} eher {adjective} findet? {closing}",
            "{opening} Am {day} bin ich {road} entlanggefahren: {#} Lastwagen und kein Schild. {closing}",
            "In {place} dauert das {#} Tage, hier {#} Jahre. {closing}",
            "Meine Nachbarin wartet seit {month} auf {thing}, und sie ist {#}. {closing}",
            "Kann mir jemand erklären, was {company} mit {project} zu tun hat? {closing}",
        ],
    ),
    (
        "opening",
        &[
            "Na ja.",
            "Typisch.",
            "Ehrlich gesagt:",
            "Endlich!",
            "Moment mal.",
            "Mit Verlaub:",
            "Tja.",
            "Also gut.",
        ],
    ),
    (
        "closing",
        &[
            "Denkt mal darüber nach.",
            "Mehr sage ich dazu nicht.",
            "Und wer zahlt? Wir.",
            "Bitte selbst nachlesen.",
            "Grüße aus {place}.",
            "Das war schon im {month} so.",
            "Danke für nichts.",
            "Ihr habt es hier zuerst gelesen.",
        ],
    ),
    (
        "thread",
        &[
            "{product}: hält das?",
            "Frage zu {thing} in {place}",
            "{project}: eure Meinung?",
            "Ärger mit {company} seit {month}",
            "Wer kommt noch aus {place}?",
            "Bilder aus {place}, Teil {#}",
            "Nach {#} Jahren mit {thing}: fragt mich",
            "Verkauft: {product}",
        ],
    ),
    (
        "advert",
        &[
            "{product} jetzt {#} Kronen billiger!",
            "{company}: Ihr Partner für {thing}",
            "Ein Herz für {place}? {company}!",
        ],
    ),
    (
        "person",
        &[
            "Margarete Aschdorf",
            "Owen Barlau",
            "Samuel Drury",
            "Agnes Falk",
            "Helene Gau",
            "Walter Hanf",
        ],
    ),
    (
        "place",
        &[
            "Norderhafen",
            "Alt Kieling",
            "Westersand",
            "Möwenort",
            "Grauwiek",
            "Schleusenau",
            "Tiefstade",
        ],
    ),
    (
        "product",
        &[
            "ein Echolot",
            "eine Stirnlampe",
            "der Wasserkocher TK 4",
            "eine Bilgepumpe",
            "ein Ferngläschen",
            "die Regenhose Luv",
        ],
    ),
    (
        "thing",
        &[
            "die neuen Fahrkarten",
            "Blumenkästen",
            "das Hafenlicht",
            "Schwimmwesten",
            "der Salzstreuer",
            "das Pegelnetz",
        ],
    ),
    (
        "project",
        &[
            "der Umbau der Mole",
            "das neue Schwimmbad",
            "die Brücke am Zollhaus",
            "der Fahrradkeller",
            "die Fähre im Winter",
        ],
    ),
    ("company", &["Hanse & Kott", "Nordtram", "Seilerei Voss", "Kabel Grauwiek", "Reederei Falk"]),
    ("road", &["der Deichweg", "die Zollstraße", "die Lange Reihe", "der Pfeffergang"]),
    ("adjective", &["merkwürdig", "laut", "überflüssig", "ganz brauchbar", "teuer", "undicht"]),
    ("ordinal", &["erste", "zweite", "dritte", "vierte"]),
    ("day", &["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"]),
    ("month", &["Januar", "März", "Mai", "Juni", "August", "Oktober"]),
];
