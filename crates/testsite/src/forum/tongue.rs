//! What differs with the language that a forum is written in.

use super::people::User;
use crate::text::Writer;
use crate::{Lang, Random};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    English,
    Chinese,
    German,
}

/// Names and what they are about, the last inside the second.
type Boards = [(&'static str, &'static str); 5];

impl Tongue {
    pub(super) fn writer(self, random: Random) -> Writer {
        match self {
            Tongue::English => Writer::new(Lang::English, random),
            Tongue::Chinese => Writer::new(Lang::Chinese, random),
            Tongue::German => Writer::german(random),
        }
    }

    /// The language that some of its members write in.
    pub(super) fn guest(self) -> Tongue {
        match self {
            Tongue::English => Tongue::Chinese,
            Tongue::Chinese | Tongue::German => Tongue::English,
        }
    }

    /// What stands between two sentences.
    pub(super) fn space(self) -> &'static str {
        if self == Tongue::Chinese { "" } else { " " }
    }

    pub(super) fn boards(self) -> &'static Boards {
        match self {
            Tongue::English => &[
                ("Town talk", "What people say on the quay and in the queue."),
                ("Harbour and ships", "Arrivals, departures, and who has seen what."),
                ("Buying and selling", "Small things only. No livestock."),
                ("Allotments", "Soil, seeds and slugs."),
                ("Old photographs", "Scans of ships and piers from before 1990."),
            ],
            Tongue::Chinese => &[
                ("街谈巷议", "码头上、排队时，大家都在说什么。"),
                ("海港船讯", "进港出港，谁看见了什么。"),
                ("跳蚤市场", "只限小件，活物免谈。"),
                ("花草园艺", "土、种子和蜗牛。"),
                ("老照片", "一九九〇年以前的船和码头。"),
            ],
            Tongue::German => &[
                ("Stadtgespräche", "Was man am Kai und in der Schlange so hört."),
                ("Hafen und Schiffe", "Wer kommt, wer fährt, wer hat was gesehen."),
                ("Kaufen und Verkaufen", "Nur Kleines. Keine Tiere."),
                ("Kleingärten", "Erde, Samen und Schnecken."),
                ("Alte Fotografien", "Schiffe und Stege von vor 1990."),
            ],
        }
    }

    /// Thirteen members, two guests, and what one is called who has left.
    pub(super) fn names(self) -> [&'static str; 16] {
        match self {
            Tongue::English => [
                "harbourgull",
                "Ingrid_K",
                "old.pilot",
                "渡口老陈",
                "tramfox",
                "Mrs Oakes",
                "quietlamp",
                "芦苇荡",
                "nordlys77",
                "teapot",
                "R2-dredger",
                "Agnes B.",
                "saltyfiddler",
                "passer-by",
                "Tom (no account)",
                "Former member",
            ],
            Tongue::Chinese => [
                "渡口老陈",
                "芦苇荡",
                "海风吹过",
                "tramfox",
                "济川路三号",
                "灯塔下的猫",
                "old.pilot",
                "一碗鱼丸",
                "老码头",
                "Ingrid_K",
                "雨天不带伞",
                "东门小学",
                "盐田工人",
                "路人甲",
                "过客2008",
                "已注销用户",
            ],
            Tongue::German => [
                "Möwe42",
                "Ingrid_K",
                "alter.Lotse",
                "渡口老陈",
                "Straßenbahner",
                "Frau Eichner",
                "Kielwasser",
                "nordlicht",
                "teekanne",
                "Jörg W.",
                "Baggerführer",
                "芦苇荡",
                "Nebelhorn",
                "Zaungast",
                "Tina (Gast)",
                "Gelöschtes Mitglied",
            ],
        }
    }

    pub(super) fn ranks(self) -> &'static [&'static str] {
        match self {
            Tongue::English => &["Deckhand", "Boatswain", "First mate", "Old hand"],
            Tongue::Chinese => &["水手", "大副", "老船长", "见习生"],
            Tongue::German => &["Leichtmatrose", "Bootsmann", "Steuermann", "Alter Hase"],
        }
    }

    pub(super) fn solved(self) -> &'static str {
        match self {
            Tongue::English => "Solved",
            Tongue::Chinese => "已解决",
            Tongue::German => "Erledigt",
        }
    }

    /// What stands before a link in a post.
    pub(super) fn see(self) -> &'static str {
        match self {
            Tongue::English => "The tables are here:",
            Tongue::Chinese => "潮汐表在这里：",
            Tongue::German => "Die Tabellen sind hier:",
        }
    }

    /// A sentence with a date and a number in it, which is not when the post was written.
    pub(super) fn dated(self, random: &mut Random) -> String {
        let (year, month, day) =
            (random.between(1994, 2008), random.between(1, 12), random.between(1, 28));
        let number = random.between(1_100, 98_000);
        let hour = random.between(7, 19);
        match (self, random.below(3)) {
            (Tongue::English, 0) => {
                format!("The notice of {year}-{month:02}-{day:02} speaks of {number} crowns.")
            }
            (Tongue::English, 1) => {
                let name = MONTHS[month - 1];
                format!("On {name} {day}, {year} at {hour}:40 the gauge stood at {number}.")
            }
            (Tongue::English, _) => {
                format!("It has worked since {day}/{month}/{year}, {number} hours in all, no joke.")
            }
            (Tongue::Chinese, 0) => {
                format!("{year}年{month}月{day}日的告示上写的是{number}元。")
            }
            (Tongue::Chinese, 1) => {
                format!("查了一下，{year}-{month}-{day} {hour}:40的水位记录是{number}。")
            }
            (Tongue::Chinese, _) => format!("昨天我又数了一遍，一共{number}块砖。"),
            (Tongue::German, 0) => {
                format!("Im Aushang vom {day}.{month}.{year} stehen {number} Kronen.")
            }
            (Tongue::German, 1) => {
                format!("Am {day:02}.{month:02}.{year} um {hour}:40 Uhr zeigte der Pegel {number}.")
            }
            (Tongue::German, _) => {
                format!("Gestern habe ich noch einmal nachgezählt: {number} Steine.")
            }
        }
    }

    pub(super) fn code(self, random: &mut Random) -> Vec<&'static str> {
        const CODES: [&[&str]; 3] = [
            &["for gauge in $(ls /dev/tide*); do", "  read -r level < \"$gauge\"", "done"],
            &["if level > 3.2 and wind < 7:", "    lamp.on(\"north\")"],
            &["SELECT ship, berth FROM arrivals", "WHERE day >= '2008-03-01';"],
        ];
        CODES[random.below(CODES.len())].to_vec()
    }

    /// What the first page says, and no other.
    pub(super) fn welcome(self) -> &'static str {
        match self {
            Tongue::English => "Welcome aboard. Be kind, keep to the subject, and mind the tide.",
            Tongue::Chinese => "欢迎上船。请友善发言，不要跑题，注意潮水。",
            Tongue::German => {
                "Willkommen an Bord. Seid nett, bleibt beim Thema, achtet auf die Flut."
            }
        }
    }

    /// What a list says about itself, and no other page.
    pub(super) fn range(self, start: usize, end: usize, of: usize, board: &str) -> String {
        match self {
            Tongue::English => format!("Threads {start} to {end} of {of} in {board}"),
            Tongue::Chinese => format!("{board}：第 {start} 至 {end} 个主题，共 {of} 个"),
            Tongue::German => format!("Themen {start} bis {end} von {of} in {board}"),
        }
    }

    /// What the page of a member says, and no other.
    pub(super) fn about(self, user: &User) -> String {
        let (name, place) = (&user.name, &user.place);
        match self {
            Tongue::English => format!("{name} writes from {place}."),
            Tongue::Chinese => format!("{name}在{place}上网。"),
            Tongue::German => format!("{name} schreibt aus {place}."),
        }
    }

    /// The title, the text and the button of the page where members log in.
    pub(super) fn login(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Tongue::English => {
                ("Log in", "Names and passwords are case-sensitive, and so is our cook.", "Enter")
            }
            Tongue::Chinese => ("登录", "用户名和密码区分大小写，厨师也一样。", "进入"),
            Tongue::German => {
                ("Anmelden", "Groß- und Kleinschreibung zählt, auch in der Küche.", "Hinein")
            }
        }
    }

    /// What a search finds.
    pub(super) fn nothing(self) -> (&'static str, &'static str) {
        match self {
            Tongue::English => ("Search", "Nothing was found in the nets today."),
            Tongue::Chinese => ("搜索", "今天网里什么也没有。"),
            Tongue::German => ("Suche", "Heute ist nichts im Netz."),
        }
    }
}

/// The name of a thing in addresses: lower-case letters, digits and hyphens, or nothing.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            'ä' => slug.push_str("ae"),
            'ö' => slug.push_str("oe"),
            'ü' => slug.push_str("ue"),
            'ß' => slug.push_str("ss"),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
        if slug.len() > 40 {
            break;
        }
    }
    slug.trim_end_matches('-').to_owned()
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
