//! How often claims turn out to be wrong, measured on sites with known truth: `bathys bench completeness`
//! crawls them with every step taken, counts how often each claim would have been wrong, and writes
//! `priors.tsv`.

use super::claim::Claim;

const MEASURED: &str = include_str!("priors.tsv");

/// What is known of claims before a site is seen.
#[derive(Clone, Debug)]
pub struct Priors(Vec<(Claim, f64)>);

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
        Self(counts.map(|(claim, all, wrong)| (claim, (wrong + 0.5) / (all + 1.0))).into())
    }

    /// The chance that a claim is wrong in a document.
    pub(crate) fn chance(&self, claim: Claim) -> f64 {
        self.0.iter().find(|(known, _)| *known == claim).map_or(0.5, |(_, chance)| *chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_was_measured_and_is_seldom_wrong() {
        let priors = Priors::default();
        // A sample makes no claim that could be wrong: it is an average.
        for claim in Claim::ALL.into_iter().filter(|claim| *claim != Claim::Sample) {
            let chance = priors.chance(claim);
            assert!(chance > 0.0 && chance < 0.1, "{}: {chance}", claim.name());
        }
    }
}
