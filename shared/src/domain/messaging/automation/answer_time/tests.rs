//! Wording and promise of an answer at one moment.

use super::*;

#[test]
fn after_hours_text_names_opening_and_emergency_text_keeps_time() {
    let hours = BusinessHours::default();
    // Friday, 7:00 PM in Chicago.
    let now: DateTime<Utc> = "2026-09-19T00:00:00Z".parse().unwrap();
    let zone = chrono_tz::America::Chicago;
    let closed = ReplyTiming::at_time(&hours, zone, (now, Some(now)), Language::En);
    let body = "We answer within 1 hour. Reply STOP to opt out.";
    let wording = TemplateWording { enabled: true, subject: None, body: body.to_owned() };
    let variables = WordingValues::example_values("Acme Plumbing");
    let reply_text = |kind| closed.render_text(kind, &wording, &variables).unwrap().body;
    let promised = |kind| {
        let promised = closed.text_promise(kind, &wording, &variables).unwrap();
        promised.map(|promised| (promised.within, promised.words))
    };
    let untimed = "We answer as soon as we can. Reply STOP to opt out.";
    let read = "We're closed right now. We'll read this when we open Monday at 8:00 AM.";
    let monday = (Duration::hours(1), "after opening Monday 8:00 AM".to_owned());
    for kind in [template::TemplateKindName::MissedCallHoliday, template::TemplateKindName::TextReplyAfterHours] {
        let read_text = format!("We answer as soon as we can. {read} Reply STOP to opt out.");
        assert_eq!((reply_text(kind), promised(kind)), (read_text, Some(monday.clone())));
    }
    let today = template::TemplateKindName::MissedCallJobToday;
    assert_eq!((reply_text(today), promised(today)), (untimed.to_owned(), None));
    let urgent = template::TemplateKindName::MissedCallEmergency;
    assert_eq!(
        (reply_text(urgent), promised(urgent).map(|(within, _)| within)),
        (body.to_owned(), Some(Duration::hours(1)))
    );
}

#[test]
fn after_hours_text_naming_opening_promises_reply_after_it() {
    let hours = BusinessHours::default();
    let now: DateTime<Utc> = "2026-09-19T00:00:00Z".parse().unwrap();
    let kind = template::TemplateKindName::TextReplyAfterHours;
    let variables = WordingValues::example_values("Acme Plumbing");
    let promised = |told_from: Option<DateTime<Utc>>, body: &str| {
        let closed = ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, told_from), Language::En);
        let wording = TemplateWording { enabled: true, subject: None, body: body.to_owned() };
        closed.text_promise(kind, &wording, &variables).unwrap().map(|promised| promised.words)
    };
    let replies = "We'll reply after we open {{ reopensAt }}.";
    assert_eq!(promised(Some(now), replies).as_deref(), Some("after opening Monday 8:00 AM"));
    assert_eq!(promised(None, replies), None, "no time can be promised");
    assert_eq!(promised(Some(now), "We got your text."), None);
}

#[test]
fn default_after_hours_text_names_opening_once_in_one_segment() {
    let hours = BusinessHours::default();
    // Tuesday, 7:00 PM in Chicago: Wednesday is the longest name of a day.
    let now: DateTime<Utc> = "2026-09-16T00:00:00Z".parse().unwrap();
    let closed = ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, Some(now)), Language::En);
    let wording = template::default_wording(template::TemplateKindName::Sms, Language::En);
    let with_times =
        WordingValues { customer_name: "Ann".to_owned(), ..WordingValues::example_values("Acme Plumbing") };
    let ann = WordingValues { times_link: None, ..with_times.clone() };
    let render = |values| closed.render_form_reply(template::TemplateKindName::Sms, &wording, values).unwrap().body;
    let reply_text = render(&ann);
    // The link has some fifty characters more than in the example; two segments hold 306.
    assert!(render(&with_times).len() <= 250);
    let end = "We'll read this when we open Wednesday at 8:00 AM. Reply STOP to opt out.";
    assert!(reply_text.ends_with(end), "{reply_text}");
    assert!(!reply_text.contains("as soon as we can") && reply_text.len() <= 160, "{reply_text}");
}

#[test]
fn open_business_told_tomorrow_says_when_it_reads() {
    let hours = BusinessHours::default();
    // Friday, 9:00 AM in Chicago, and the summary of Monday, 9:00 AM.
    let (now, summary) = ("2026-09-18T14:00:00Z", "2026-09-21T14:00:00Z");
    let [now, summary]: [DateTime<Utc>; 2] = [now, summary].map(|at| at.parse().unwrap());
    let zone = chrono_tz::America::Chicago;
    let wording = TemplateWording { enabled: true, subject: None, body: "We answer within 1 hour.".to_owned() };
    let variables = WordingValues::example_values("Acme Plumbing");
    let kind = template::TemplateKindName::MissedCall;
    let reply_text = |told_from, language| {
        let open = ReplyTiming::at_time(&hours, zone, (now, told_from), language);
        let promised = open.text_promise(kind, &wording, &variables).unwrap().map(|promised| promised.words);
        (open.render_text(kind, &wording, &variables).unwrap().body, promised, open.text_promise_starts_at(kind))
    };
    let untimed = "We answer as soon as we can.";
    let read = format!("{untimed} We'll read this Monday at 9:00 AM.");
    let promised = Some("after Monday 9:00 AM".to_owned());
    assert_eq!(reply_text(Some(summary), Language::En), (read, promised, Some(summary)));
    let timed = (wording.body.clone(), Some("within 1 hour".to_owned()), Some(now));
    assert_eq!(reply_text(Some(now + Duration::minutes(1)), Language::En), timed, "a minute is at once");
    let (body, promised, _) = reply_text(None, Language::En);
    assert_eq!((body.as_str(), promised), (untimed, None), "nobody is ever notified");
    let (body, ..) = reply_text(Some(summary), Language::Es);
    assert!(body.ends_with("Lo leemos el lunes a las 9:00 AM."), "{body}");
}

#[test]
fn after_hours_text_names_the_summary_that_comes_after_the_opening() {
    let hours = BusinessHours::default();
    // Friday, 7:00 PM in Chicago, and the summary of Tuesday, 9:00 AM.
    let [now, summary]: [DateTime<Utc>; 2] =
        ["2026-09-19T00:00:00Z", "2026-09-22T14:00:00Z"].map(|at| at.parse().unwrap());
    let closed = ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, Some(summary)), Language::En);
    let kind = template::TemplateKindName::TextReplyAfterHours;
    let body = "We'll reply after we open {{ reopensAt }}.".to_owned();
    let wording = TemplateWording { enabled: true, subject: None, body };
    let variables = WordingValues::example_values("Acme Plumbing");
    let promised = closed.text_promise(kind, &wording, &variables).unwrap().unwrap();
    assert_eq!((closed.reopens_at(kind), promised.words.as_str()), (Some(summary), "after Tuesday 9:00 AM"));
    assert_eq!(closed.text_promise_starts_at(kind), Some(summary));
    let opening = closed.reopens_at(template::TemplateKindName::MissedCallAfterHours);
    assert_eq!(opening, Some(summary - Duration::hours(25)), "an opening is told as it is");
}

#[test]
fn default_text_reply_reads_well_without_its_time() {
    let hours = BusinessHours::default();
    // Friday, 9:00 AM in Chicago, and the summary of Monday, 9:00 AM.
    let [now, summary]: [DateTime<Utc>; 2] =
        ["2026-09-18T14:00:00Z", "2026-09-21T14:00:00Z"].map(|at| at.parse().unwrap());
    let kind = template::TemplateKindName::TextReply;
    for (language, got, promise, book) in [
        (
            Language::En,
            "got your text.",
            " We'll reply within 1 hour.",
            " You can book a time: https://example.com/book",
        ),
        (
            Language::Es,
            "ya tiene su mensaje.",
            " Le respondemos en 1 hora.",
            " Puede hacer su cita: https://example.com/book",
        ),
    ] {
        let open = ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, Some(summary)), language);
        let variables = WordingValues { language, ..WordingValues::example_values("Acme Plumbing") };
        let wording = template::default_wording(kind, language);
        let reply_text = open.render_text(kind, &wording, &variables).unwrap().body;
        assert!(reply_text.contains(&format!("{got}{book}")), "{reply_text}");
        let timed = template::render_wording(kind, &wording, &variables).unwrap().body;
        assert!(timed.contains(&format!("{got}{promise}{book}")), "{timed}");
    }
}

#[test]
fn late_notice_is_named_only_where_the_answer_sent_now_leaves_the_time_out() {
    use template::TemplateKindName::{Sms, TextReply, TextReplyAfterHours};
    let hours = BusinessHours::default();
    // Friday, 9:20 AM in Chicago, and the summary of 10:00 AM.
    let [now, summary]: [DateTime<Utc>; 2] =
        ["2026-09-18T14:20:00Z", "2026-09-18T15:00:00Z"].map(|at| at.parse().unwrap());
    let late_notice = |now: DateTime<Utc>, told_from: Option<DateTime<Utc>>, kind| {
        ReplyTiming::at_time(&hours, chrono_tz::America::Chicago, (now, told_from), Language::En).late_notice_at(kind)
    };
    assert_eq!(late_notice(now, Some(summary), Sms), Some(summary));
    assert_eq!(late_notice(now, Some(summary), TextReply), Some(summary));
    assert_eq!(late_notice(now, Some(summary), TextReplyAfterHours), None, "it is not sent now");
    assert_eq!(late_notice(now, Some(now), Sms), None, "the time is stated");
    let night = now - Duration::hours(6);
    assert_eq!(late_notice(night, Some(summary), TextReply), None, "it is not sent now");
}
