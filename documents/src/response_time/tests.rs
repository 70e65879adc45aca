//! Promises, phrases that only resemble one, and times that cannot be measured.

use super::*;

/// Minutes.
const PROMISES: &[(&str, i64, &str)] = &[
    // Default wordings.
    (
        "Ann, Acme got your request. We reply within 1 hour. Call 512-555-0142. Reply STOP to opt out.",
        60,
        "within 1 hour",
    ),
    ("We have received your request and will get back to you within 2 hours.", 120, "within 2 hours"),
    ("Acme ya tiene su solicitud. Le respondemos en 1 hora. Tel. 512-555-0142.", 60, "en 1 hora"),
    ("Recibimos su solicitud y le responderemos en menos de 2 horas.", 120, "en menos de 2 horas"),
    ("We'll get back to you within 24 hours with your custom quote.", 1440, "within 24 hours"),
    // Wordings as users write them.
    ("You’ll hear from us in the next two hours!", 120, "in the next two hours"),
    ("Our team will be in touch within the hour.", 60, "within the hour"),
    ("We reply in 24h.", 1440, "in 24h"),
    ("We will call you back in half an hour", 30, "in half an hour"),
    ("Someone calls you within an hour and a half.", 90, "within an hour and a half"),
    ("We'll text you back in under 10 mins.", 10, "in under 10 mins"),
    ("I'll answer within 1.5 hours", 90, "within 1.5 hours"),
    ("We respond within one (1) hour of receiving your message.", 60, "within one (1) hour"),
    ("We usually reply within twenty-four hours.", 1440, "within twenty-four hours"),
    ("Expect a call in about 1-2 hours.", 120, "in about 1-2 hours"),
    ("We answer in 30 to 60 minutes.", 60, "in 30 to 60 minutes"),
    ("A detailed quote will be sent within 48 hours", 2880, "within 48 hours"),
    ("You will have your estimate within 2 days.", 2880, "within 2 days"),
    ("Within 24 hours we will send you a detailed quote.", 1440, "Within 24 hours"),
    ("In an hour you'll hear back from Maria.", 60, "In an hour"),
    ("Your request will be answered within 3 hours.", 180, "within 3 hours"),
    ("Calls are returned within 15 minutes", 15, "within 15 minutes"),
    ("We return your call within 1 hour.", 60, "within 1 hour"),
    ("Acme Plumbing replies within 2 hours.", 120, "within 2 hours"),
    ("A technician will contact you no later than 4 hours from now.", 240, "no later than 4 hours"),
    ("If you do not hear from us within 24 hours, call 512-555-0142.", 1440, "within 24 hours"),
    ("Reply here and we get right back to you within 10 minutes.", 10, "within 10 minutes"),
    ("We will call or text you within 1 hour.", 60, "within 1 hour"),
    ("We reply within 1 hour, and your quote follows within 24 hours.", 60, "within 1 hour"),
    ("Fast response: 24-hour turnaround", 1440, "24-hour turnaround"),
    ("Our response time: 2 hours", 120, "2 hours"),
    ("We reply in 2 hrs. or less.", 120, "in 2 hrs"),
    ("We guarantee a reply within 2 hours.", 120, "within 2 hours"),
    ("We offer a 4-hour response guarantee.", 240, "4-hour response guarantee"),
    ("Nos comunicamos con usted en menos de 24 horas.", 1440, "en menos de 24 horas"),
    ("Le llamaremos dentro de las próximas 2 horas.", 120, "dentro de las próximas 2 horas"),
    ("Le contestamos en media hora.", 30, "en media hora"),
    ("Nos pondremos en contacto en la próxima hora.", 60, "en la próxima hora"),
    ("Recibirá una respuesta en un plazo de veinticuatro horas", 1440, "en un plazo de veinticuatro horas"),
    ("Alguien le llamará en una hora y media.", 90, "en una hora y media"),
    ("Le enviamos su presupuesto en 48 horas.", 2880, "en 48 horas"),
    ("Vamos a llamarle en 1 o 2 horas.", 120, "en 1 o 2 horas"),
];

const TRAPS: &[&str] = &[
    // Opening hours and length of business.
    "We are open 24 hours a day.",
    "Open 24/7. We reply fast.",
    "24-hour emergency service. We answer every call.",
    "24 hour plumbing, call us.",
    "We have been answering calls in Austin for 24 years.",
    "In 24 years we have answered 10,000 calls.",
    "We answered 500 customers within an hour.",
    "We answer the phone 24 hours a day, 7 days a week.",
    "Sorry we missed your call, we are closed right now and open again Monday 8:00 AM.",
    "In the last 24 hours we answered many calls.",
    "Dave's crew comes within 2 hours and has been told you called.",
    // Actions of the customer.
    "Reply STOP within 24 hours to opt out.",
    "Please reply within 2 hours to keep your place.",
    "Call us within 24 hours to get 10 % off.",
    "You must approve your estimate within 24 hours.",
    "If you reply within 1 hour we can come today.",
    "Please sign the estimate in 2 days.",
    "To cancel, call or text within 24 hours.",
    "We ask that you respond within 2 hours.",
    "We look forward to your reply within 24 hours.",
    // Crews, work and papers, which have their own deadlines.
    "We will see you in 2 hours.",
    "The crew will be there in 30 minutes.",
    "Our technician arrives within the hour.",
    "We fix most leaks within 2 hours.",
    "Your appointment is in 24 hours.",
    "We will call you within 1 hour of your visit.",
    "We text you 24 hours before your visit.",
    "Your estimate expires in 24 hours.",
    "This link is good for 24 hours.",
    "We guarantee repairs within 24 hours.",
    "We deliver water heaters within 24 hours.",
    "We serve everyone within 20 miles and reply to all.",
    "$99 per hour, 1 hour minimum. We reply to every text.",
    "Details: https://acme.example/we-reply-within-1-hour",
    "Write to reply-in-1-hour@acme.example",
    "We reply as soon as we can.",
    "Reply here and we get right back to you.",
    "Abierto las 24 horas. Responda este mensaje.",
    "Responda STOP en 24 horas para darse de baja.",
    "Lamentamos no contestar en 24 horas.",
    "Llámenos en menos de 24 horas.",
    "Nuestro técnico llega en 30 minutos.",
    "Su presupuesto vence en 24 horas.",
    "Apruebe su presupuesto en 2 días.",
    "Servicio 24 horas al día, los 7 días.",
];

/// Times that cannot be measured.
const UNREAD: &[(&str, &str)] = &[
    ("We will reply by tomorrow.", "by tomorrow"),
    ("We get back to you within one business day.", "within one business day"),
    ("We'll call you this afternoon.", "this afternoon"),
    ("We reply in a few hours.", "in a few hours"),
    ("We will call you back by 5 PM.", "by 5"),
    ("We answer within 1 hour during business hours.", "within 1 hour"),
    ("You will hear from us today.", "today"),
    ("We reply within 2 months.", "within 2 months"),
    ("Le respondemos mañana.", "mañana"),
    ("Le responderemos en 1 día hábil.", "en 1 día hábil"),
];

#[test]
fn promised_reply_time_is_parsed_in_english_and_spanish() {
    for (text, minutes, words) in PROMISES {
        let found = find_promised_time(text).unwrap_or_else(|| panic!("no promise found in: {text}"));
        assert_eq!((found.within.num_minutes(), found.words.as_str()), (*minutes, *words), "{text}");
        assert_eq!(find_untimed_promise(text), None, "{text}");
    }
}

#[test]
fn promise_lookalike_is_not_parsed() {
    for text in TRAPS {
        assert_eq!(find_promised_time(text), None, "{text}");
    }
}

#[test]
fn reply_time_that_cannot_be_timed_is_flagged() {
    for (text, words) in UNREAD {
        assert_eq!(find_promised_time(text), None, "{text}");
        assert_eq!(find_untimed_promise(text).as_deref(), Some(*words), "{text}");
    }
    let closed = "Lamentamos no contestar su llamada, hoy estamos cerrados.";
    let notified = "Dave's crew has your visit today and has been told you called.";
    let others = ["We reply soon.", "Call us tomorrow.", "The crew comes today.", "We open again tomorrow.", ""];
    for quiet in [closed, notified].into_iter().chain(others) {
        assert_eq!(find_untimed_promise(quiet), None, "{quiet}");
    }
}

#[test]
fn phrase_corpus_is_at_least_half_negative_cases() {
    let all = PROMISES.len() + TRAPS.len() + UNREAD.len();
    assert!(all >= 80 && 2 * (TRAPS.len() + UNREAD.len()) >= all, "{all}");
}

#[test]
fn hostile_input_does_not_panic() {
    for hostile in [
        "within",
        "in",
        "within 99999999999999999999 hours",
        "in 1/0 hours we reply",
        "½",
        "1-",
        "we reply in 1 -",
        "¿?¡!..",
        "in in in in in in in in in 1 hour we reply",
        "we reply in 0 hours",
        "ñ½—\u{301}1h",
    ] {
        let _ = (find_promised_time(hostile), find_untimed_promise(hostile));
    }
    assert_eq!(find_promised_time("we reply in 0 hours"), None);
}

/// Length of the longest body that the API accepts. Each of these inputs once blocked a thread for minutes.
#[test]
fn longest_input_is_parsed_within_time_limit() {
    let begun = std::time::Instant::now();
    for hostile in
        ["in 1 h ", "or ", "call or in 1 h ", "we will call you in 1 h, in 2 h or ", "y ", "respuesta en 1 h "]
    {
        let long = hostile.repeat(64 * 1024 / hostile.len());
        let _ = (find_promised_time(&long), find_untimed_promise(&long));
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn reply_time_far_from_promise_is_ignored() {
    let apart = |words: usize| format!("We reply {}within 1 hour", "x ".repeat(words));
    assert_eq!(find_promised_time(&apart(10)).map(|promised| promised.within.num_minutes()), Some(60));
    assert_eq!(find_promised_time(&apart(100)), None);
    let late = format!("{}We reply within 1 hour.", "x ".repeat(5_000));
    assert_eq!(find_promised_time(&late), None, "no message of ours is so long");
}

#[test]
fn untimed_wording_promises_no_reply_time() {
    for (text, _, _) in PROMISES {
        let untimed_text = remove_promised_times(text, Language::En);
        assert!(
            find_promised_time(&untimed_text).is_none() && find_untimed_promise(&untimed_text).is_none(),
            "{text}: {untimed_text}"
        );
    }
    let untimed = |text| remove_promised_times(text, Language::En);
    assert_eq!(untimed("Hi, we reply within 1 hour. Reply STOP."), "Hi, we reply as soon as we can. Reply STOP.");
    assert_eq!(untimed("Within 2 hours we call you back."), "As soon as we can we call you back.");
    assert_eq!(untimed("We are open 24 hours."), "We are open 24 hours.");
    assert_eq!(remove_promised_times("Le respondemos en 1 hora.", Language::Es), "Le respondemos lo antes posible.");
    for kind in [
        crate::template::TemplateKindName::Sms,
        crate::template::TemplateKindName::Email,
        crate::template::TemplateKindName::TextReply,
    ] {
        for language in [Language::En, Language::Es] {
            let wording = crate::template::default_wording(kind, language).body;
            assert!(
                find_promised_time(&wording).is_some()
                    && find_promised_time(&remove_promised_times(&wording, language)).is_none(),
                "{kind:?} {language:?}"
            );
        }
    }
}
