use page::record::date::{Order, find, read};
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let v: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut bysite: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for p in v["pages"].as_array().unwrap() {
        for r in p["records"].as_array().unwrap() {
            if let Some(t) = r["time_text"].as_str() {
                bysite
                    .entry(p["site"].as_str().unwrap_or("?").into())
                    .or_default()
                    .push(t.to_owned());
            }
        }
    }
    let cap = Some(1_600_000_000);
    for (site, ts) in bysite {
        let order = Order::vote(ts.iter().map(|s| s.as_str()), cap);
        let r = ts.iter().filter(|t| read(t, &order, cap).is_some()).count();
        let f = ts.iter().filter(|t| find(t, &order, cap).is_some()).count();
        println!(
            "{site}: {r}/{f}/{} e.g. {:?} -> {:?}",
            ts.len(),
            ts[0],
            read(&ts[0], &order, cap).map(|m| m.to_string())
        );
        for t in ts.iter().filter(|t| read(t, &order, cap).is_none()).take(3) {
            println!("     miss {t:?}");
        }
    }
    // speed
    let texts = [
        "Sept. 22, 2026, 8:28 a.m.",
        "3 hours ago",
        "昨天 20:22",
        "Alice Wonderland",
        "This is a longer text of about a hundred characters that has no date in it at all.",
        "12 replies",
        "Re: How to build a house in 2020 without a permit",
    ];
    let o = Order::default();
    for t in texts {
        let n = 200_000;
        let s = std::time::Instant::now();
        let mut c = 0;
        for _ in 0..n {
            if read(std::hint::black_box(t), &o, cap).is_some() {
                c += 1;
            }
        }
        println!("{:>7.0} ns {t} {}", s.elapsed().as_nanos() as f64 / n as f64, c > 0);
    }
}
