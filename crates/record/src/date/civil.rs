//! Days of the Gregorian calendar, counted (Hinnant's days from civil).

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// A day: year, month and day of the month.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

impl Civil {
    /// A day, if there is such a day.
    pub(crate) fn new(year: i64, month: u8, day: u8) -> Option<Civil> {
        let there = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && day >= 1
            && day <= days_of_month(year, month);
        there.then_some(Civil { year, month, day })
    }

    /// A day of the Solar Hijri calendar, of which 8 years in 33 are leap years.
    pub(crate) fn of_solar(year: i64, month: u8, day: u8) -> Option<Civil> {
        let there =
            (1..=12).contains(&month) && (1..=if month < 7 { 31 } else { 30 }).contains(&day);
        if !there || !(1_300..1_500).contains(&year) {
            return None;
        }
        let (cycles, of_cycle) = ((year + 1_595) / 33, (year + 1_595) % 33);
        let month = i64::from(month);
        let of_year =
            if month < 7 { (month - 1) * 31 } else { (month - 7) * 30 + 186 } + i64::from(day);
        let days = 365 * (year + 1_595) + cycles * 8 + (of_cycle + 3) / 4 + of_year;
        Some(Civil::from_days(days - 355_668 - 719_528))
    }

    /// The day of an instant, in UTC; of instants that no four digits can name, the nearest.
    pub(crate) fn of(unix: i64) -> Civil {
        Civil::from_days(unix.div_euclid(DAY).clamp(-719_162, 2_932_896))
    }

    /// Days since the beginning of 1970.
    pub(crate) fn days(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let month = (i64::from(self.month) + 9) % 12;
        let of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// The other way round.
    fn from_days(days: i64) -> Civil {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        let small = |value: i64| u8::try_from(value).unwrap_or(1);
        Civil { year, month: small(month), day: small(day) }
    }

    /// The beginning of the day, in UTC.
    pub(crate) fn unix(self) -> i64 {
        self.days() * DAY
    }

    /// From 1, Monday.
    pub(crate) fn weekday(self) -> u8 {
        u8::try_from((self.days() + 3).rem_euclid(7) + 1).unwrap_or(1)
    }

    /// The same day of another month, or the last of that month.
    pub(crate) fn months_before(self, months: i64) -> Civil {
        let count = (self.year * 12 + i64::from(self.month) - 1 - months).clamp(12, 9999 * 12 + 11);
        let year = count.div_euclid(12);
        let month = u8::try_from(count.rem_euclid(12) + 1).unwrap_or(1);
        Civil { year, month, day: self.day.min(days_of_month(year, month)) }
    }
}

fn days_of_month(year: i64, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_1970_and_back() {
        assert_eq!(Civil::new(1970, 1, 1).map(Civil::days), Some(0));
        assert_eq!(Civil::new(2026, 9, 22).map(Civil::unix), Some(1_790_035_200));
        assert_eq!(Civil::new(2025, 5, 3).map(Civil::weekday), Some(6));
        assert_eq!(Civil::new(2023, 2, 29), None);
        for days in (-719_162..2_932_896).step_by(97) {
            assert_eq!(Civil::from_days(days).days(), days);
        }
    }

    #[test]
    fn days_of_the_solar_hijri_calendar_are_days_of_ours() {
        for (solar, ours) in [
            ((1403, 1, 1), (2024, 3, 20)),
            ((1399, 12, 30), (2021, 3, 20)),
            ((1404, 7, 1), (2025, 9, 23)),
            ((1370, 1, 1), (1991, 3, 21)),
        ] {
            let day = Civil::of_solar(solar.0, solar.1, solar.2);
            assert_eq!(day, Civil::new(ours.0, ours.1, ours.2));
        }
        assert_eq!(Civil::of_solar(1403, 7, 31), None);
    }

    #[test]
    fn a_month_before_the_last_of_march_is_the_last_of_february() {
        let day = Civil::new(2024, 3, 31).map(|day| day.months_before(1));
        assert_eq!(day, Civil::new(2024, 2, 29));
        let day = Civil::new(2024, 3, 31).map(|day| day.months_before(15));
        assert_eq!(day, Civil::new(2022, 12, 31));
    }
}
