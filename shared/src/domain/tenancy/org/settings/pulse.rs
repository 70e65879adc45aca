//! Owner's report: schedule, channel, and quiet days.

use chrono::{Datelike, Days, NaiveDate, NaiveTime};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::set_if_given;
use crate::{
    documents::template::Language,
    platform::{business_hours::WallTime, error::FieldErrors, text},
};

/// How often it comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PulseFrequency {
    /// About the day before, and the quiet days before that.
    #[default]
    Daily,
    /// About the seven days before.
    Weekly,
}

/// A day of the week, by its first letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weekday {
    #[default]
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl Weekday {
    #[must_use]
    pub fn from_date(day: NaiveDate) -> Self {
        match day.weekday() {
            chrono::Weekday::Mon => Self::Mon,
            chrono::Weekday::Tue => Self::Tue,
            chrono::Weekday::Wed => Self::Wed,
            chrono::Weekday::Thu => Self::Thu,
            chrono::Weekday::Fri => Self::Fri,
            chrono::Weekday::Sat => Self::Sat,
            chrono::Weekday::Sun => Self::Sun,
        }
    }
}

/// The report's page. A business that has set nothing gets it every morning at seven (features 63).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PulseSettings {
    pub frequency: PulseFrequency,
    /// On the wall clock of the business.
    pub time: WallTime,
    /// Of a weekly one.
    pub weekday: Weekday,
    /// To the email addresses of the recipient list; without any, to the owners.
    pub by_email: bool,
    /// To the phones of that list.
    pub by_text: bool,
    /// On these days no daily one comes; the next is about them too.
    pub quiet_days: Vec<Weekday>,
    /// None comes until the end of this day; null when nothing is planned.
    pub quiet_until: Option<NaiveDate>,
    pub language: Language,
}

impl Default for PulseSettings {
    fn default() -> Self {
        Self {
            frequency: PulseFrequency::Daily,
            time: WallTime::parse("07:00"),
            weekday: Weekday::Mon,
            by_email: true,
            by_text: true,
            quiet_days: Vec::new(),
            quiet_until: None,
            language: Language::En,
        }
    }
}

impl PulseSettings {
    #[must_use]
    pub fn due_time(&self) -> NaiveTime {
        self.time.to_naive_time().unwrap_or(NaiveTime::MIN)
    }

    /// Whether a report is due on this day. Quiet days are due too, but skipped.
    #[must_use]
    pub fn is_due_on(&self, day: NaiveDate) -> bool {
        self.frequency == PulseFrequency::Daily || Weekday::from_date(day) == self.weekday
    }

    #[must_use]
    pub fn is_quiet_on(&self, day: NaiveDate) -> bool {
        let is_day_off = self.frequency == PulseFrequency::Daily && self.quiet_days.contains(&Weekday::from_date(day));
        is_day_off || self.quiet_until.is_some_and(|until| day <= until)
    }

    /// Days covered by the report of this day, including preceding quiet days, up to a week.
    #[must_use]
    pub fn days_covered(&self, day: NaiveDate) -> u64 {
        const WEEK: u64 = 7;
        if self.frequency == PulseFrequency::Weekly {
            return WEEK;
        }
        let is_quiet = |ago: &u64| day.checked_sub_days(Days::new(*ago)).is_some_and(|day| self.is_quiet_on(day));
        (1..WEEK).take_while(is_quiet).fold(1, |days, _| days + 1)
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PulsePatch {
    pub frequency: Option<PulseFrequency>,
    #[schema(value_type = Option<String>, example = "07:00")]
    pub time: Option<WallTime>,
    pub weekday: Option<Weekday>,
    pub by_email: Option<bool>,
    pub by_text: Option<bool>,
    /// Not all seven.
    pub quiet_days: Option<Vec<Weekday>>,
    /// Null ends the quiet.
    #[serde(deserialize_with = "text::given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub quiet_until: Option<Option<NaiveDate>>,
    pub language: Option<Language>,
}

impl PulsePatch {
    pub(super) fn apply_to(&self, page: &mut PulseSettings, errors: &mut FieldErrors) {
        set_if_given(&mut page.frequency, self.frequency.as_ref());
        set_if_given(&mut page.time, self.time.as_ref());
        set_if_given(&mut page.weekday, self.weekday.as_ref());
        set_if_given(&mut page.by_email, self.by_email.as_ref());
        set_if_given(&mut page.by_text, self.by_text.as_ref());
        set_if_given(&mut page.quiet_until, self.quiet_until.as_ref());
        set_if_given(&mut page.language, self.language.as_ref());
        if let Some(days) = &self.quiet_days {
            page.quiet_days.clone_from(days);
            page.quiet_days.sort_unstable();
            page.quiet_days.dedup();
        }
        if page.time.to_naive_time().is_none() {
            errors.add("pulse.time", "Please enter a time such as 07:00");
        }
        if page.quiet_days.len() > 6 {
            errors.add("pulse.quietDays", "Leave at least one day");
        }
        if !page.by_email && !page.by_text {
            errors.add("pulse.byEmail", "Choose email, texts or both");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::IntoMessages;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    #[test]
    fn pulse_after_quiet_days_covers_those_days() {
        let weekends = PulseSettings { quiet_days: vec![Weekday::Sat, Weekday::Sun], ..PulseSettings::default() };
        // 2026-09-21 is a Monday.
        for (on, days) in [("2026-09-18", 1), ("2026-09-19", 1), ("2026-09-21", 3), ("2026-09-22", 1)] {
            assert_eq!(weekends.days_covered(day(on)), days, "{on}");
        }
        let holiday = PulseSettings { quiet_until: Some(day("2026-09-20")), ..PulseSettings::default() };
        assert!(holiday.is_quiet_on(day("2026-09-20")) && !holiday.is_quiet_on(day("2026-09-21")));
        assert_eq!(holiday.days_covered(day("2026-09-21")), 7, "a week at most");
        let weekly = PulseSettings { frequency: PulseFrequency::Weekly, ..weekends };
        assert!(!weekly.is_quiet_on(day("2026-09-19")) && weekly.is_due_on(day("2026-09-21")));
        assert_eq!((weekly.days_covered(day("2026-09-21")), weekly.is_due_on(day("2026-09-22"))), (7, false));
    }

    #[test]
    fn invalid_pulse_settings_are_reported_by_field() {
        let fault_fields = |patch: serde_json::Value| {
            let (mut page, mut errors) = (PulseSettings::default(), FieldErrors::default());
            serde_json::from_value::<PulsePatch>(patch).unwrap().apply_to(&mut page, &mut errors);
            errors.into_messages().into_iter().map(|(field, _)| field).collect::<Vec<_>>()
        };
        assert_eq!(fault_fields(serde_json::json!({"time": "25:00"})), ["pulse.time"]);
        assert_eq!(fault_fields(serde_json::json!({"byEmail": false, "byText": false})), ["pulse.byEmail"]);
        let all = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        assert_eq!(fault_fields(serde_json::json!({ "quietDays": all })), ["pulse.quietDays"]);
        assert!(
            fault_fields(serde_json::json!({"quietDays": ["sun", "sun"], "frequency": "weekly", "quietUntil": null}))
                .is_empty()
        );
    }
}
