//! What words promise, where they only seem to, and what of them cannot be timed.

use super::*;

/// What is promised, in minutes.
const PROMISES: &[(&str, i64, &str)] = &[
    // The product's own words.
    (
        "Ann, Acme got your request. We reply within 1 hour. Call 512-555-0142. Reply STOP to opt out.",
        60,
        "within 1 hour",
    ),
    ("We have received your request and will get back to you within 2 hours.", 120, "within 2 hours"),
    ("Acme ya tiene su solicitud. Le respondemos en 1 hora. Tel. 512-555-0142.", 60, "en 1 hora"),
    ("Recibimos su solicitud y le responderemos en menos de 2 horas.", 120, "en menos de 2 horas"),
    ("We'll get back to you within 24 hours with your custom quote.", 1440, "within 24 hours"),
    // As people write it.
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

/// What sounds like it.
const TRAPS: &[&str] = &[
    // When we are there, and for how long we have been.
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
    // What the customer is to do.
    "Reply STOP within 24 hours to opt out.",
    "Please reply within 2 hours to keep your place.",
    "Call us within 24 hours to get 10 % off.",
    "You must approve your estimate within 24 hours.",
    "If you reply within 1 hour we can come today.",
    "Please sign the estimate in 2 days.",
    "To cancel, call or text within 24 hours.",
    "We ask that you respond within 2 hours.",
    "We look forward to your reply within 24 hours.",
    // Crews, work and papers have clocks of their own.
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
    // Places, prices and addresses.
    "We serve everyone within 20 miles and reply to all.",
    "$99 per hour, 1 hour minimum. We reply to every text.",
    "Details: https://acme.example/we-reply-within-1-hour",
    "Write to reply-in-1-hour@acme.example",
    "We reply as soon as we can.",
    "Reply here and we get right back to you.",
    // Spanish.
    "Abierto las 24 horas. Responda este mensaje.",
    "Responda STOP en 24 horas para darse de baja.",
    "Lamentamos no contestar en 24 horas.",
    "Llámenos en menos de 24 horas.",
    "Nuestro técnico llega en 30 minutos.",
    "Su presupuesto vence en 24 horas.",
    "Apruebe su presupuesto en 2 días.",
    "Servicio 24 horas al día, los 7 días.",
];

/// Times that no clock can keep.
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
fn a_time_for_an_answer_is_read_in_either_language() {
    for (said, minutes, words) in PROMISES {
        let found = read(said).unwrap_or_else(|| panic!("no promise found in: {said}"));
        assert_eq!((found.within.num_minutes(), found.words.as_str()), (*minutes, *words), "{said}");
        assert_eq!(unread(said), None, "{said}");
    }
}

#[test]
fn what_only_sounds_like_a_promise_is_none() {
    for said in TRAPS {
        assert_eq!(read(said), None, "{said}");
    }
}

#[test]
fn a_time_that_no_clock_can_keep_is_pointed_out() {
    for (said, words) in UNREAD {
        assert_eq!(read(said), None, "{said}");
        assert_eq!(unread(said).as_deref(), Some(*words), "{said}");
    }
    let closed = "Lamentamos no contestar su llamada, hoy estamos cerrados.";
    let told = "Dave's crew has your visit today and has been told you called.";
    let others = ["We reply soon.", "Call us tomorrow.", "The crew comes today.", "We open again tomorrow.", ""];
    for quiet in [closed, told].into_iter().chain(others) {
        assert_eq!(unread(quiet), None, "{quiet}");
    }
}

#[test]
fn half_of_the_phrases_are_traps() {
    let all = PROMISES.len() + TRAPS.len() + UNREAD.len();
    assert!(all >= 80 && 2 * (TRAPS.len() + UNREAD.len()) >= all, "{all}");
}

#[test]
fn nothing_that_anybody_writes_breaks_the_reading() {
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
        let _ = (read(hostile), unread(hostile));
    }
    assert_eq!(read("we reply in 0 hours"), None);
}

/// As long as the longest body that the API takes: each of these once took the minutes of a thread.
#[test]
fn however_long_it_is_it_is_read_at_once() {
    let begun = std::time::Instant::now();
    for hostile in
        ["in 1 h ", "or ", "call or in 1 h ", "we will call you in 1 h, in 2 h or ", "y ", "respuesta en 1 h "]
    {
        let long = hostile.repeat(64 * 1024 / hostile.len());
        let _ = (read(&long), unread(&long));
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn what_stands_far_off_says_nothing_of_a_time() {
    let apart = |words: usize| format!("We reply {}within 1 hour", "x ".repeat(words));
    assert_eq!(read(&apart(10)).map(|promised| promised.within.num_minutes()), Some(60));
    assert_eq!(read(&apart(100)), None);
    let late = format!("{}We reply within 1 hour.", "x ".repeat(5_000));
    assert_eq!(read(&late), None, "no message of ours is so long");
}

#[test]
fn where_nobody_can_be_told_the_words_promise_no_time() {
    for (text, _, _) in PROMISES {
        let said = untimed(text, Language::En);
        assert!(read(&said).is_none() && unread(&said).is_none(), "{text}: {said}");
    }
    let said = |text| untimed(text, Language::En);
    assert_eq!(said("Hi, we reply within 1 hour. Reply STOP."), "Hi, we reply as soon as we can. Reply STOP.");
    assert_eq!(said("Within 2 hours we call you back."), "As soon as we can we call you back.");
    assert_eq!(said("We are open 24 hours."), "We are open 24 hours.");
    assert_eq!(untimed("Le respondemos en 1 hora.", Language::Es), "Le respondemos lo antes posible.");
    for kind in [
        crate::documents::template::Kind::Sms,
        crate::documents::template::Kind::Email,
        crate::documents::template::Kind::TextReply,
    ] {
        for language in [Language::En, Language::Es] {
            let wording = crate::documents::template::default_wording(kind, language).body;
            assert!(read(&wording).is_some() && read(&untimed(&wording, language)).is_none(), "{kind:?} {language:?}");
        }
    }
}
