//! For any hours, zone, notification settings and request time, the words of an answer and its due time agree.

use proptest::prelude::*;

use super::*;
use crate::{
    documents::response_time,
    domain::messaging::response_sla::{
        due_by,
        due_by_tests::{YEAR_MINUTES, ZONES, instant, settings},
    },
};

/// What the customer reads, and the promise behind it.
struct Answer {
    body: String,
    promised: Option<PromisedResponseTime>,
    starts_at: Option<DateTime<Utc>>,
}

fn form_answer(moment: &ReplyTiming<'_>, kind: template::TemplateKindName) -> Answer {
    let variables = WordingValues { language: moment.language, ..WordingValues::example_values("Acme Plumbing") };
    let wording = template::default_wording(kind, moment.language);
    Answer {
        body: moment.render_form_reply(kind, &wording, &variables).unwrap().body,
        promised: moment.form_promise(&wording, &variables).unwrap(),
        starts_at: moment.form_promise_starts_at(),
    }
}

fn text_answer(moment: &ReplyTiming<'_>) -> Answer {
    let kind = if moment.is_open {
        template::TemplateKindName::MissedCall
    } else {
        template::TemplateKindName::MissedCallAfterHours
    };
    let variables = WordingValues { language: moment.language, ..WordingValues::example_values("Acme Plumbing") };
    let body = match moment.language {
        Language::En => "We answer within 2 hours.",
        Language::Es => "Le respondemos en 2 horas.",
    };
    let wording = TemplateWording { enabled: true, subject: None, body: body.to_owned() };
    Answer {
        body: moment.render_text(kind, &wording, &variables).unwrap().body,
        promised: moment.text_promise(kind, &wording, &variables).unwrap(),
        starts_at: moment.text_promise_starts_at(kind),
    }
}

/// The words imply a time; the promise is due then, and not before anybody is told.
fn check_answer(moment: &ReplyTiming<'_>, answer: &Answer) -> Result<(), TestCaseError> {
    let stated = response_time::find_promised_time(&answer.body).map(|stated| stated.within);
    let Some(promised) = &answer.promised else {
        prop_assert_eq!(stated, None, "{}", answer.body);
        return Ok(());
    };
    let (hours, zone, now) = (moment.hours, moment.zone, moment.now);
    let due = due_by(hours, zone, (now, answer.starts_at), promised.within);
    prop_assert!(moment.told_from.is_some_and(|told| due >= told), "due {due}: {}", answer.body);
    if let Some(within) = stated {
        prop_assert_eq!(due, hours.response_due_at(zone, now, within), "{}", answer.body);
        return Ok(());
    }
    let reading = moment.reading_time_text().unwrap();
    prop_assert!(answer.body.contains(&reading), "{}", answer.body);
    let reads_at = moment.reads_at.unwrap();
    prop_assert!(moment.told_from.is_some_and(|told| reads_at >= told), "read {reads_at}");
    prop_assert_eq!(due, hours.response_due_at(zone, reads_at, promised.within));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn words_and_due_time_of_an_answer_agree(
        settings in settings(),
        zone in prop::sample::select(ZONES.to_vec()),
        minute in 0..YEAR_MINUTES,
        is_told in prop::bool::weighted(0.9),
        language in prop::sample::select(vec![Language::En, Language::Es]),
    ) {
        let now = instant(minute);
        let told_from = is_told.then(|| notification_time::next_notify_at(&settings, zone, false, now).to_instant(now));
        let moment = ReplyTiming::at_time(&settings.hours, zone, (now, told_from), language);
        for kind in [template::TemplateKindName::Sms, template::TemplateKindName::Email] {
            check_answer(&moment, &form_answer(&moment, kind))?;
        }
        check_answer(&moment, &text_answer(&moment))?;
        prop_assert!(is_told || !moment.can_state_time());
    }
}
