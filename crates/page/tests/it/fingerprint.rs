use page::tree::{Fingerprint, parse_str};
use std::collections::HashSet;

/// A page with sections of these names, each with its own inner structure.
fn page(sections: impl Iterator<Item = usize>) -> Fingerprint {
    let html: String = sections.map(|n| format!("<x-{n}><p>{n}<b>x</b></p></x-{n}>")).collect();
    Fingerprint::of(&parse_str(&html).dom)
}

#[test]
fn the_estimate_is_near_the_true_share_of_common_paths() {
    for (common, apart) in [(100, 0), (80, 10), (50, 25), (20, 40), (0, 50)] {
        let a = page(0..common + apart);
        let b = page((0..common).chain(1000..1000 + apart));
        // Three paths a section, and html, head, body.
        let truth = (3 * common + 3) as f64 / (3 * (common + 2 * apart) + 3) as f64;
        let error = (a.similarity(&b) - truth).abs();
        assert!(error < 0.2, "{common} common, {apart} apart: {error}");
    }
}

#[test]
fn similar_pages_meet_in_a_bucket_and_others_do_not() {
    let buckets = |page: &Fingerprint| page.buckets().collect::<HashSet<_>>();
    let (a, near, far) = (page(0..100), page(0..95), page(500..600));
    assert_eq!(buckets(&a).len(), 16);
    assert!(!buckets(&a).is_disjoint(&buckets(&near)));
    assert!(buckets(&a).is_disjoint(&buckets(&far)));
}

#[test]
fn texts_attributes_scripts_and_repetition_leave_no_trace() {
    let of = |html: &str| Fingerprint::of(&parse_str(html).dom);
    assert_eq!(of("<ul><li>a"), of("<ul id=x><li>b<li class=y>c</ul><script>1</script>"));
    assert_ne!(of("<ul><li>a"), of("<ol><li>a"));
    assert_ne!(of("<div><p><b>"), of("<div><b></b><p>"));
}

#[test]
fn a_stored_fingerprint_stays_the_same_across_versions() {
    let fingerprint = page(0..3);
    assert_eq!(Fingerprint::from_bytes(&fingerprint.to_bytes()), fingerprint);
    assert_eq!(fingerprint.to_bytes()[..8], [15, 244, 107, 19, 53, 185, 203, 5]);
}
