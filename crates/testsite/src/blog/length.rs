//! How many pages each article has: the totals of seed 001's table 1.

use crate::Random;

/// The first so many articles have so many pages in all (S1 to S5).
const TOTALS: [(usize, usize); 5] =
    [(50, 381), (150, 1_063), (300, 1_416), (500, 2_037), (725, 2_764)];

/// The numbers of pages of the first `articles` articles. Those of a smaller blog are the first of
/// a larger one, so the totals hold for each size of the table.
pub(super) fn lengths(articles: usize, seed: u64) -> Vec<usize> {
    let mut lengths = Vec::with_capacity(articles);
    let mut begun = (0, 0);
    for (end, total) in TOTALS {
        let band = format!("blog lengths to {end}");
        lengths.extend(shares(end - begun.0, total - begun.1, &mut Random::of(seed, &band)));
        begun = (end, total);
    }
    // Beyond the table people write as they did at its end: 727 pages in 225 articles.
    let mut random = Random::of(seed, "blog lengths beyond");
    while lengths.len() < articles {
        lengths.push(random.between(1, 5).max(random.between(1, 5)).min(random.between(2, 6)));
    }
    lengths.truncate(articles);
    lengths
}

/// `total` pages among `articles`, at least one for each, some with many more than others.
fn shares(articles: usize, total: usize, random: &mut Random) -> Vec<usize> {
    // Squares of even numbers: a few articles draw a crowd, most draw some.
    let weights: Vec<usize> = (0..articles)
        .map(|_| {
            let drawn = random.between(12, 100);
            drawn * drawn
        })
        .collect();
    let sum: usize = weights.iter().sum();
    let over = total.saturating_sub(articles);
    let mut lengths: Vec<usize> = weights.iter().map(|weight| 1 + over * weight / sum).collect();
    // What rounding left over goes to the first ones.
    let missing = total - lengths.iter().sum::<usize>();
    for length in lengths.iter_mut().take(missing) {
        *length += 1;
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_subsets_have_the_pages_of_the_table_whatever_the_seed() {
        for seed in 1..20 {
            for (articles, pages) in TOTALS {
                let lengths = lengths(articles, seed);
                assert_eq!((lengths.len(), lengths.iter().sum()), (articles, pages));
                assert!(lengths.iter().all(|length| *length > 0));
                let several = lengths.iter().filter(|length| **length > 1).count();
                assert!(several * 2 > articles, "most articles have several pages: {several}");
            }
        }
    }

    #[test]
    fn a_smaller_blog_is_the_beginning_of_a_larger_one() {
        let all = lengths(1_000, 7);
        for articles in [1, 20, 40, 60, 80, 100, 726] {
            assert_eq!(lengths(articles, 7), all[..articles]);
        }
    }
}
