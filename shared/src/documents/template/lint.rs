//! What a wording must say, must not say, and could say for less.

use std::collections::BTreeSet;

use super::{
    Audience, Channel, Filled, Kind, Wording,
    check::{Fault, FaultCode, Place, Text, TextField, Warning, WarningCode},
    fill, incentive,
    preview::own_words,
    variables::{Variable, Variables},
};
use crate::{
    documents::response_time,
    platform::{
        error::Result,
        sms_segments::{self, Encoding},
    },
};

/// Stands for the business while a wording is checked.
const BUSINESS: &str = "Acme Plumbing";
/// A link in a text that must not have one.
const LINKS: [&str; 4] = ["http:", "https:", "www.", ".com"];
/// Ways to tell a person how to stop, in small letters.
const HOW_TO_STOP: [&str; 16] = [
    "reply stop",
    "text stop",
    "send stop",
    "type stop",
    "answer stop",
    "respond stop",
    "opt out",
    "opt-out",
    "unsubscribe",
    "responda stop",
    "envíe stop",
    "conteste stop",
    "responda alto",
    "envíe alto",
    "darse de baja",
    "dejar de recibir",
];

/// Everything that is wrong with what the wording says, whichever of its values are known.
pub(super) fn say(kind: Kind, wording: &Wording, body: &Text<'_>, faults: &mut Vec<Fault>) {
    let Ok(said) = every_way(kind, wording) else {
        return faults.push(whole(FaultCode::Syntax, "This cannot be filled in. Please make it simpler."));
    };
    let any = |wrong: &dyn Fn(&str) -> bool| said.iter().any(|filled| wrong(&filled.body));
    let introduces = kind.first_of_thread() || kind == Kind::HelpReply;
    if (introduces || kind == Kind::StopConfirmation) && any(&|body| !body.contains(BUSINESS)) {
        faults.push(whole(
            FaultCode::BusinessNotNamed,
            "This must name your business: put {{ businessName }} in it, outside of any if.",
        ));
    }
    if introduces && any(&|body| !tells_how_to_stop(body)) {
        faults.push(whole(FaultCode::StopMissing, "This must say how to stop: “Reply STOP to opt out.”"));
    }
    if kind.asks_for_review() && !body.uses(Variable::ReviewLink) {
        faults
            .push(whole(FaultCode::ReviewLinkMissing, "A review request needs the link: put {{ reviewLink }} in it."));
    }
    if kind.asks_for_tap() && loses_link(kind, wording) {
        faults.push(whole(
            FaultCode::VisitLinkMissing,
            "Without the link nobody can keep their time: put {{ visitLink }} in it, outside of any other if.",
        ));
    }
    if kind == Kind::StopConfirmation && any(&|body| LINKS.iter().any(|link| body.to_lowercase().contains(link))) {
        faults.push(whole(FaultCode::LinkNotAllowed, "The confirmation of STOP may not have a link in it."));
    }
    faults.extend(promises(kind, &said));
    faults.extend(costs(kind, &said));
}

/// An offer where none may stand.
fn promises(kind: Kind, said: &[Filled]) -> Option<Fault> {
    if kind.audience() == Audience::Team {
        return None;
    }
    let text = |filled: &Filled| format!("{} {}", filled.subject.as_deref().unwrap_or_default(), filled.body);
    let find = |judge: fn(&str) -> Option<String>| said.iter().find_map(|filled| judge(&text(filled)));
    if kind == Kind::StopConfirmation {
        let word = find(incentive::promotion)?;
        let message = format!("The confirmation of STOP may not advertise anything: take “{word}” out.");
        return Some(Fault { name: Some(word), ..whole(FaultCode::PromotionNotAllowed, message) });
    }
    let word = find(if kind.asks_for_review() { incentive::offer } else { incentive::for_a_review })?;
    let message = format!(
        "Nothing may be offered for a review: take “{word}” out. The law (16 CFR 465.4) and the review sites forbid it."
    );
    Some(Fault { name: Some(word), ..whole(FaultCode::IncentiveForReview, message) })
}

/// Whether the link is left out where something else is not known.
fn loses_link(kind: Kind, wording: &Wording) -> bool {
    let known = Variables::example(BUSINESS);
    let less = kind.variables().iter().filter(|v| **v != Variable::VisitLink).map(|v| known.without(*v));
    let link = Variable::VisitLink.example();
    let leaves_out =
        |variables: &Variables| fill::render(kind, wording, variables).is_ok_and(|filled| !filled.body.contains(link));
    [known.clone()].iter().any(leaves_out) || less.into_iter().any(|variables| leaves_out(&variables))
}

/// The longest way to say it decides.
fn costs(kind: Kind, said: &[Filled]) -> Option<Fault> {
    let most = kind.max_segments()?;
    let segments = said.iter().map(|filled| sms_segments::count(&filled.body).segments).max()?;
    (segments > most).then(|| {
        let whose = if most == 1 { "one text".to_owned() } else { format!("{most} texts") };
        whole(
            FaultCode::TooManySegments,
            format!("This is sent as {segments} texts; it may be {whose} at most. Please make it shorter, or use plainer letters."),
        )
    })
}

/// The wording filled in with everything known, nothing known, and each value alone known or alone missing. The
/// business's own name is always known.
fn every_way(kind: Kind, wording: &Wording) -> Result<Vec<Filled>> {
    let known = Variables::example(BUSINESS);
    let optional: Vec<Variable> = kind.variables().iter().copied().filter(|v| *v != Variable::BusinessName).collect();
    let none = optional.iter().fold(known.clone(), |less, variable| less.without(*variable));
    let one_missing = optional.iter().map(|variable| known.without(*variable));
    let one_known = optional.iter().map(|kept| {
        optional.iter().filter(|v| *v != kept).fold(known.clone(), |less, variable| less.without(*variable))
    });
    let ways = [known.clone(), none].into_iter().chain(one_missing).chain(one_known);
    ways.map(|variables| fill::render(kind, wording, &variables)).collect()
}

/// `STOP` in capitals, or one of the sayings. "We will stop by" is neither.
pub(super) fn tells_how_to_stop(body: &str) -> bool {
    let small = body.to_lowercase();
    let words: Vec<&str> = body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let capitals = words.iter().enumerate().any(|(at, word)| {
        matches!(*word, "STOP" | "ALTO") && !words.get(at + 1).is_some_and(|next| next.eq_ignore_ascii_case("by"))
    });
    capitals || HOW_TO_STOP.iter().any(|saying| small.contains(saying))
}

/// What the owner may want to change.
pub(super) fn warn(kind: Kind, body: &Text<'_>, subject: Option<&Text<'_>>, warnings: &mut Vec<Warning>) {
    if kind.channel() != Channel::Email {
        warnings.extend(costly(body));
    }
    let uses = |text: &Text<'_>| text.uses(Variable::CustomerName);
    let greets = kind.default_wording().body.contains(Variable::CustomerName.name());
    if kind.audience() == Audience::Customer && greets && !uses(body) && !subject.is_some_and(uses) {
        warnings.push(Warning {
            code: WarningCode::CustomerNotNamed,
            field: TextField::Body,
            message:
                "The customer's name is not used. A text with a name reads less like a machine: {{ customerName }}."
                    .to_owned(),
            place: None,
            found: None,
            instead: Some("{{ customerName }}".to_owned()),
        });
    }
    for text in [subject, Some(body)].into_iter().flatten() {
        warnings.extend(text.bare_links());
    }
}

/// A time for an answer that nothing keeps: whoever writes it thinks of a clock.
pub(super) fn untimed(kind: Kind, wording: &Wording) -> Option<Warning> {
    let found = response_time::unread(&own_words(kind, wording, &Variables::example(BUSINESS))?)?;
    let place = wording.body.find(&found).map(|at| Place::of(&wording.body, &(at..at + found.len())));
    Some(Warning {
        code: WarningCode::PromiseNotTimed,
        field: if place.is_some() || wording.subject.is_none() { TextField::Body } else { TextField::Subject },
        message: format!(
            "“{found}” cannot be timed, so nobody is warned when it runs out. Say it in hours: “within 24 hours”."
        ),
        place,
        found: Some(found),
        instead: None,
    })
}

/// Each character once that makes the whole text leave in the wider alphabet, 70 characters a segment instead of 160.
fn costly(body: &Text<'_>) -> Vec<Warning> {
    let mut seen = BTreeSet::new();
    let dear = body.source.char_indices().filter(|(_, c)| !is_cheap(*c) && seen.insert(*c));
    dear.map(|(at, c)| {
        let instead = cheaper(c);
        let hint = instead.map_or_else(
            || "Leaving it out saves money.".to_owned(),
            |instead| {
                if instead.trim().is_empty() {
                    "Write a plain space instead.".to_owned()
                } else {
                    format!("Write {instead} instead.")
                }
            },
        );
        Warning {
            code: WarningCode::CostlyCharacter,
            field: body.field,
            message: format!("“{c}” makes every text of this wording cost about twice as much. {hint}"),
            place: Some(Place::of(body.source, &(at..at + c.len_utf8()))),
            found: Some(c.to_string()),
            instead: instead.map(ToOwned::to_owned),
        }
    })
    .collect()
}

/// Whether this character leaves a text in the alphabet of 160 a segment.
pub(super) fn is_cheap(c: char) -> bool {
    sms_segments::count(c.encode_utf8(&mut [0; 4])).encoding == Encoding::Gsm7
}

/// The spelling that costs less and reads the same.
fn cheaper(c: char) -> Option<&'static str> {
    Some(match c {
        '‘' | '’' | '‛' | '´' | '`' => "'",
        '“' | '”' | '„' | '«' | '»' => "\"",
        '–' | '—' | '‐' | '‑' | '−' | '•' | '·' => "-",
        '…' => "...",
        '\u{a0}' | '\u{2009}' | '\u{202f}' | '\t' => " ",
        'á' | 'â' | 'ã' => "a",
        'í' | 'î' => "i",
        'ó' | 'ô' | 'õ' => "o",
        'ú' | 'û' => "u",
        'ê' | 'ë' => "e",
        'ç' => "c",
        'Á' | 'À' | 'Â' => "A",
        'Í' => "I",
        'Ó' => "O",
        'Ú' => "U",
        '×' => "x",
        '™' => "(TM)",
        '®' => "(R)",
        '©' => "(C)",
        _ => return None,
    })
}

fn whole(code: FaultCode, message: impl Into<String>) -> Fault {
    Fault::whole(code, TextField::Body, message)
}

impl Text<'_> {
    fn uses(&self, variable: Variable) -> bool {
        self.reading.uses.iter().any(|found| found.printed && found.name == variable.name())
    }

    /// Links printed outside of an `if` that asks for them: their sentence would stay without its end.
    fn bare_links(&self) -> Vec<Warning> {
        let link = |name: &str| Variable::ALL.iter().any(|v| v.is_link() && v.name() == name);
        let bare = self.reading.uses.iter().filter(|found| found.printed && !found.guarded && link(&found.name));
        bare.map(|found| Warning {
            code: WarningCode::LinkNotOptional,
            field: self.field,
            message: format!(
                "While you have no such link, this sentence stays without it. Put it inside {{% if {0} %}} ... {{% endif %}}.",
                found.name
            ),
            place: Some(Place::of(self.source, &found.at)),
            found: Some(found.name.clone()),
            instead: None,
        })
        .collect()
    }
}
