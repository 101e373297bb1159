use page::tree::{Dom, DomBuilder, Effort, Mode, Outline, compare, distance, parse_str};
use proptest::prelude::*;

/// A small tree as a list of (parent, label), parents first; labels below 3 are elements, others
/// texts. Node 0 is the document.
type Plan = Vec<(usize, u8)>;

fn any_plan(nodes: usize) -> impl Strategy<Value = Plan> {
    prop::collection::vec((any::<prop::sample::Index>(), 0u8..5), 0..nodes).prop_map(|picks| {
        let mut plan = vec![(0, 0)];
        for (pick, label) in picks {
            let parents: Vec<usize> = (0..plan.len()).filter(|id| plan[*id].1 < 3).collect();
            let parent = *pick.get(&parents);
            // Two texts in a row would be one.
            let after_text = plan
                .iter()
                .skip(1)
                .rfind(|node: &&(usize, u8)| node.0 == parent)
                .is_some_and(|last| last.1 >= 3);
            plan.push((parent, if after_text { label % 3 } else { label }));
        }
        plan
    })
}

/// A plan that is like another: some nodes changed, dropped or repeated.
fn any_pair(nodes: usize) -> impl Strategy<Value = (Plan, Plan)> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0u8..3), 0..4);
    prop_oneof![
        (any_plan(nodes), any_plan(nodes)),
        (any_plan(nodes), edits).prop_map(|(plan, edits)| {
            let mut other = plan.clone();
            for (pick, label) in edits {
                let at = pick.index(other.len());
                if at > 0 && other[at].1 < 3 {
                    other[at].1 = label;
                }
            }
            (plan, other)
        }),
    ]
}

fn children(plan: &Plan, id: usize) -> Vec<usize> {
    (1..plan.len()).filter(|child| plan[*child].0 == id).collect()
}

fn size(plan: &Plan, id: usize) -> usize {
    1 + children(plan, id).iter().map(|child| size(plan, *child)).sum::<usize>()
}

fn build(plan: &Plan) -> Dom {
    fn add(plan: &Plan, id: usize, builder: &mut DomBuilder) {
        for child in children(plan, id) {
            match plan[child].1 {
                label @ 0..3 => {
                    builder.open(["a", "b", "c"][label as usize], []);
                    add(plan, child, builder);
                    builder.close();
                }
                label => builder.text(["one", "two"][label as usize - 3]),
            }
        }
    }
    let mut builder = DomBuilder::new();
    add(plan, 0, &mut builder);
    builder.finish()
}

/// The definition, taken at its word: try every set of pairs that is a restricted top-down
/// mapping, and take the cheapest.
fn by_exhaustive_search(a: &Plan, b: &Plan) -> usize {
    fn is_label_equal(a: &Plan, x: usize, b: &Plan, y: usize) -> bool {
        (x == 0 && y == 0) || (x != 0 && y != 0 && a[x].1 == b[y].1)
    }
    fn place(a: &Plan, b: &Plan, x: usize, mapping: &mut Vec<Option<usize>>) -> usize {
        if x == a.len() {
            let pairs = mapping.iter().flatten().count();
            let replaced =
                (0..a.len()).filter(|x| mapping[*x].is_some_and(|y| !is_label_equal(a, *x, b, y)));
            return replaced.count() + (a.len() - pairs) + (b.len() - pairs);
        }
        mapping.push(None);
        let mut least = place(a, b, x + 1, mapping);
        mapping.pop();
        for y in 1..b.len() {
            let parents_paired = mapping[a[x].0] == Some(b[y].0);
            let restricted = is_label_equal(a, a[x].0, b, b[y].0);
            let fits = (1..x).all(|other| match mapping[other] {
                None => true,
                // One to one, and in the order of siblings.
                Some(theirs) => {
                    theirs != y && (a[other].0 != a[x].0 || (other < x) == (theirs < y))
                }
            });
            if parents_paired && restricted && fits {
                mapping.push(Some(y));
                least = least.min(place(a, b, x + 1, mapping));
                mapping.pop();
            }
        }
        least
    }
    place(a, b, 1, &mut vec![Some(0)])
}

/// The dynamic programme of the paper, without anything that makes it fast.
fn by_the_paper(a: &Plan, x: usize, b: &Plan, y: usize) -> usize {
    let (xs, ys) = (children(a, x), children(b, y));
    let mut cost = vec![vec![0; ys.len() + 1]; xs.len() + 1];
    for i in 0..=xs.len() {
        for j in 0..=ys.len() {
            let mut best = usize::MAX;
            if i > 0 {
                best = best.min(cost[i - 1][j] + size(a, xs[i - 1]));
            }
            if j > 0 {
                best = best.min(cost[i][j - 1] + size(b, ys[j - 1]));
            }
            if i > 0 && j > 0 {
                let (x, y) = (xs[i - 1], ys[j - 1]);
                let pair = if a[x].1 == b[y].1 {
                    by_the_paper(a, x, b, y)
                } else {
                    size(a, x) + size(b, y) - 1
                };
                best = best.min(cost[i - 1][j - 1] + pair);
            }
            cost[i][j] = if i + j == 0 { 0 } else { best };
        }
    }
    cost[xs.len()][ys.len()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_distance_is_that_of_the_best_of_all_mappings((a, b) in any_pair(6)) {
        let found = compare(&build(&a), &build(&b), Mode::Full);
        prop_assert!(found.exact);
        prop_assert_eq!(found.distance, by_exhaustive_search(&a, &b));
    }

    #[test]
    fn the_distance_is_that_of_the_plain_algorithm((a, b) in any_pair(60)) {
        let found = compare(&build(&a), &build(&b), Mode::Full);
        prop_assert!(found.exact);
        prop_assert_eq!(found.nodes, [a.len(), b.len()]);
        prop_assert_eq!(found.distance, by_the_paper(&a, 0, &b, 0));
    }

    #[test]
    fn a_tree_is_at_no_distance_from_itself(plan in any_plan(60)) {
        for mode in [Mode::Full, Mode::Structure] {
            let found = compare(&build(&plan), &build(&plan), mode);
            prop_assert_eq!((found.distance, found.exact), (0, true));
            prop_assert_eq!(found.similarity(), 1.0);
        }
    }

    #[test]
    fn distance_is_symmetric_and_below_the_trivial_bound(
        (a, b) in any_pair(60),
        cells in 0usize..400,
        cutoff in 0usize..40,
    ) {
        let (x, y) = (Outline::new(&build(&a), Mode::Full), Outline::new(&build(&b), Mode::Full));
        for effort in [Effort::default(), Effort { cells, ..Effort::default() }, Effort { cutoff, ..Effort::default() }] {
            let (there, back) = (distance(&x, &y, effort), distance(&y, &x, effort));
            prop_assert_eq!((there.distance, there.exact), (back.distance, back.exact));
            // Delete everything below one root, insert everything below the other.
            let below_roots = (a.len() - 1) + (b.len() - 1);
            prop_assert!(there.distance <= below_roots);
            prop_assert!((0.0..=1.0).contains(&there.similarity()));
        }
    }

    #[test]
    fn less_effort_gives_an_upper_bound_and_says_so(
        (a, b) in any_pair(60),
        cells in 0usize..400,
        cutoff in 0usize..40,
    ) {
        let (x, y) = (Outline::new(&build(&a), Mode::Full), Outline::new(&build(&b), Mode::Full));
        let exact = distance(&x, &y, Effort::default()).distance;
        let capped = distance(&x, &y, Effort { cells, ..Effort::default() });
        prop_assert!(capped.distance >= exact && (!capped.exact || capped.distance == exact));
        let cut = distance(&x, &y, Effort { cutoff, ..Effort::default() });
        prop_assert!(cut.distance >= exact && (!cut.exact || cut.distance == exact));
        prop_assert_eq!(cut.distance <= cutoff, exact <= cutoff);
        prop_assert!(cut.exact || exact > cutoff);
    }

    #[test]
    fn structure_never_differs_more_than_everything((a, b) in any_pair(60)) {
        let (a, b) = (build(&a), build(&b));
        prop_assert!(compare(&a, &b, Mode::Structure).distance <= compare(&a, &b, Mode::Full).distance);
    }
}

#[test]
fn a_changed_text_costs_one_and_only_in_full_mode() {
    let (a, b) = (parse_str("<p>old<p>same").dom, parse_str("<p>new<p>same").dom);
    assert_eq!(compare(&a, &b, Mode::Full).distance, 1);
    assert_eq!(compare(&a, &b, Mode::Structure).distance, 0);
}

#[test]
fn nothing_below_a_replaced_element_is_kept() {
    // <div> against <ul>: one replacement, three deletions, three insertions.
    let (a, b) = (
        parse_str("<div><p><b><i></i></b></p></div>").dom,
        parse_str("<ul><p><b><i></i></b></p></ul>").dom,
    );
    assert_eq!(compare(&a, &b, Mode::Structure).distance, 7);
}

#[test]
fn scripts_styles_comments_and_whitespace_are_not_there() {
    let a = parse_str("<p> a  b </p><script>1</script>").dom;
    let b = parse_str("<style>x{}</style><p>a<!-- c -->\nb</p>\n\n").dom;
    assert_eq!(compare(&a, &b, Mode::Full).distance, 0);
}

#[test]
fn a_million_siblings_get_an_upper_bound_in_bounded_time() {
    let list = |skip: usize| {
        let mut builder = DomBuilder::new();
        for item in 0..990_000u32 {
            builder.open(if item % 7 == 0 || item as usize % 1000 == skip { "a" } else { "b" }, []);
            builder.close();
        }
        Outline::new(&builder.finish(), Mode::Structure)
    };
    let found = distance(&list(1), &list(2), Effort::default());
    assert!(!found.exact && found.distance > 0 && found.distance <= 2 * 2 * 990);
}
