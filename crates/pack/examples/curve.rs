use pack::{Group, Packer, Settings};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let cap: f64 = args[1].parse().unwrap();
    let order: u8 = args[2].parse().unwrap();
    let chain: usize = args[3].parse().unwrap();
    let mut settings = Settings { new_bytes: (cap * 1048576.0) as usize, ..Settings::default() };
    if let Ok(p) = std::env::var("PRIME") {
        settings.prime = p.parse().unwrap()
    }
    if order != 0 {
        settings.orders = vec![order].leak()
    };
    let mut product = 1.0f64;
    let mut n = 0;
    let which = std::env::var("S").unwrap_or("bjjs cdr hn fr.de heise.de web.de".into());
    for entry in which.split(' ') {
        let dir = format!("/tmp/data/series/{entry}");
        let mut files: Vec<_> =
            std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        let members: Vec<Vec<u8>> = files.iter().map(|f| std::fs::read(f).unwrap()).collect();
        let solid = solid(entry, &members);
        let raw: usize = members.iter().map(Vec::len).sum();
        let start = cpu();
        let mut groups: Vec<(Vec<u8>, usize, usize)> = vec![]; // bytes, first, count
        let mut at = 0;
        while at < members.len() {
            let base = (groups.len() % chain != 0).then(|| &members[at - 1][..]);
            let mut packer = Packer::new(settings, base);
            let first = at;
            while at < members.len() && packer.push(&members[at]).unwrap() {
                at += 1;
            }
            groups.push((packer.finish(), first, at - first));
        }
        let took = cpu() - start;
        let total: usize = groups.iter().map(|g| g.0.len()).sum();
        let mut times = vec![];
        for (i, g) in groups.iter().enumerate() {
            for m in 0..g.2 {
                if std::env::var_os("SIZE").is_some() {
                    times.push(0.0);
                    break;
                }
                // sample
                if g.2 > 16 && m % 7 != 0 && m + 2 < g.2 {
                    continue;
                }
                let t = cpu();
                let start = i / chain * chain;
                let mut base: Option<Vec<u8>> = None;
                for g in &groups[start..i] {
                    base = Some(pack::unpack(&g.0, base.as_deref(), g.2 - 1).unwrap());
                }
                let got = pack::unpack(&g.0, base.as_deref(), m).unwrap();
                times.push((cpu() - t) * 1e3);
                assert!(got == members[g.1 + m]);
            }
        }
        times.sort_by(f64::total_cmp);
        let ratio = total as f64 / solid as f64;
        product *= ratio;
        n += 1;
        println!(
            "{entry:9} n {:4} groups {:3} {:8.0} B/version  ratio {:.3}  ms p50 {:.0} p95 {:.0} max {:.0}  pack {:.1} MB/s",
            members.len(),
            groups.len(),
            total as f64 / members.len() as f64,
            ratio,
            times[times.len() / 2],
            times[times.len() * 95 / 100],
            times[times.len() - 1],
            raw as f64 / 1e6 / took
        );
        let _ = Group::read(&groups[0].0).unwrap();
    }
    println!("geomean {:.3}", product.powf(1.0 / n as f64));
}

fn solid(name: &str, members: &[Vec<u8>]) -> usize {
    let cache = format!("/tmp/wt/solid-{name}");
    if let Ok(text) = std::fs::read_to_string(&cache) {
        return text.trim().parse().unwrap();
    }
    let all = members.concat();
    let mut c = zstd::bulk::Compressor::new(19).unwrap();
    c.long_distance_matching(true).unwrap();
    c.window_log(27).unwrap();
    let n = c.compress(&all).unwrap().len();
    std::fs::write(cache, n.to_string()).unwrap();
    n
}

fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
