//! How often claims turn out to be wrong, measured on sites with known truth: `bathys bench completeness`
//! crawls them with every step taken, counts how often each claim would have been wrong, and writes
//! `priors.tsv`.

use super::claim::Claim;

const MEASURED: &str = include_str!("priors.tsv");

/// What is known of claims before a site is seen.
#[derive(Clone, Debug)]
pub struct Priors(Vec<Prior>);

/// How often claims of a kind are wrong, and in how many documents that was measured.
#[derive(Clone, Copy, Debug)]
struct Prior {
    claim: Claim,
    chance: f64,
    weight: f64,
}

impl Default for Priors {
    fn default() -> Self {
        Self::without("")
    }
}

impl Priors {
    /// What was measured on all sites but this one, to judge the estimate by the one left out.
    ///
    /// ```
    /// let mut settings = crawl::Settings::new(vec!["http://127.0.0.1:8080/".parse().unwrap()]);
    /// settings.priors = crawl::Priors::without("news");
    /// ```
    pub fn without(site: &str) -> Self {
        let mut counts = Claim::ALL.map(|claim| (claim, 0.0, 0.0));
        for line in MEASURED.lines().skip(1) {
            let mut fields = line.split('\t');
            let mut field = || fields.next().unwrap_or_default();
            let (name, measured_on) = (field(), field());
            let mut count = || field().parse::<f64>().unwrap_or_default();
            let (documents, wrong) = (count(), count());
            if measured_on != site {
                let of_claim = counts.iter_mut().filter(|(claim, ..)| claim.name() == name);
                for (_, all, failed) in of_claim {
                    (*all, *failed) = (*all + documents, *failed + wrong);
                }
            }
        }
        // Half an observation each way (Jeffreys): what was never seen to be wrong may still be.
        let chance = |all: f64, wrong: f64| (wrong + 0.5) / (all + 1.0);
        let tested = counts.iter().filter(|(_, all, _)| *all > 0.0);
        // A kind that none of the sites has is as doubtful as the most doubtful that they have.
        let most = tested.map(|(_, all, wrong)| chance(*all, *wrong)).fold(0.0, f64::max);
        let of = |(claim, all, wrong)| match all > 0.0 {
            true => Prior { claim, chance: chance(all, wrong), weight: all + 1.0 },
            false => Prior { claim, chance: most, weight: 1.0 },
        };
        Self(counts.map(of).into())
    }

    /// The chance that a claim of a kind is wrong in a document, after claims of that kind were tested in so many
    /// documents of the site, and were wrong in some of them. A page of a manual has hundreds of elements on which
    /// nothing happens: each of them by itself is seldom seen, all of them together often.
    pub(crate) fn chance(&self, claim: Claim, (tested, wrong): (u32, u32)) -> f64 {
        let Some(prior) = self.0.iter().find(|prior| prior.claim == claim) else { return 1.0 };
        (prior.chance * prior.weight + f64::from(wrong)) / (prior.weight + f64::from(tested))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_is_seldom_wrong_and_none_never() {
        let priors = Priors::default();
        for claim in Claim::ALL {
            let chance = priors.chance(claim, (0, 0));
            assert!(chance > 0.0 && chance < 0.1, "{}: {chance}", claim.name());
        }
    }

    #[test]
    fn a_site_that_is_left_out_makes_claims_more_doubtful() {
        let (all, without) = (Priors::default(), Priors::without("maze"));
        assert!(without.chance(Claim::Plain, (0, 0)) > all.chance(Claim::Plain, (0, 0)));
    }

    #[test]
    fn what_a_site_shows_of_a_kind_of_claims_counts_for_all_of_that_kind() {
        let priors = Priors::default();
        let chance = |tested| priors.chance(Claim::Idle, tested);
        assert!(chance((1_000, 0)) < chance((0, 0)) / 2.0);
        assert!(chance((1_000, 10)) > chance((0, 0)));
    }
}
