//! What offers are made of, and what the forms beside the search do.

pub(super) const STATES: [&str; 20] = [
    "AK", "AL", "AZ", "CA", "CO", "DE", "FL", "GA", "HI", "IA", "ID", "KS", "KY", "ME", "MN", "NC",
    "NJ", "NY", "OR", "WA",
];

pub(super) const CATEGORIES: [(&str, &[&str]); 8] = [
    ("Shipping", &["deckhand", "pilot", "purser", "bosun", "stevedore", "harbour master"]),
    ("Kitchen", &["cook", "baker", "pastry chef", "dishwasher", "butcher"]),
    ("Office", &["clerk", "bookkeeper", "receptionist", "typist", "archivist"]),
    ("Building", &["carpenter", "mason", "roofer", "plumber", "crane operator"]),
    ("Health", &["nurse", "midwife", "dentist", "optician", "pharmacist"]),
    ("Teaching", &["teacher", "tutor", "librarian", "lecturer"]),
    ("Transport", &["driver", "tram conductor", "mechanic", "dispatcher"]),
    ("Arts", &["violinist", "set painter", "lighting technician", "tailor"]),
];

pub(super) const LEVELS: &[&str] = &["Junior", "Senior", "Assistant", "Head", "Trainee", "Deputy"];
pub(super) const CONTRACTS: &[&str] = &["permanent", "temporary", "freelance"];
pub(super) const SHIFTS: &[&str] = &["day", "night", "weekend"];
pub(super) const NAMES: &[&str] = &[
    "Northline",
    "Copperfield",
    "Amberly",
    "Stonebridge",
    "Thornby",
    "Oakes",
    "Lindqvist",
    "Harrow",
    "Maple",
    "Silverton",
    "Brightwater",
    "Fenwick",
    "Garland",
    "Holloway",
    "Ironside",
    "Juniper",
    "Kestrel",
    "Larkspur",
    "Merriman",
    "Netherby",
];
pub(super) const COMPANIES: &[&str] =
    &["Lines", "Works", "Foods", "Clinic", "Academy", "Theatre", "Builders", "Partners"];

/// Kinds of changes, and the paths of the forms that cause them.
pub(super) const WRITES: &[(&str, &str)] = &[
    ("login", "/session"),
    ("message", "/contact"),
    ("subscribe", "/letter"),
    ("save", "/saved"),
    ("delete", "/offers/clean"),
    ("export", "/offers.csv"),
];
