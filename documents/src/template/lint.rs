//! Content rules of a wording: required, forbidden and cheaper alternatives.

use std::collections::BTreeSet;

use platform::{
    error::Result,
    sms_segments::{self, SmsEncoding},
};

use super::{
    RenderedWording, TemplateAudience, TemplateChannel, TemplateKindName, TemplateWording,
    check::{
        ScannedField, TemplateFault, TemplateFaultCode, TemplateField, TemplatePlace, TemplateWarning,
        TemplateWarningCode,
    },
    incentive,
    preview::render_without_names,
    render,
    variables::{WordingValues, WordingVariable},
};
use crate::response_time;

const BUSINESS: &str = "Acme Plumbing";
const LINKS: [&str; 4] = ["http:", "https:", "www.", ".com"];
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

pub(super) fn collect_content_faults(
    kind: TemplateKindName,
    wording: &TemplateWording,
    body: &ScannedField<'_>,
    faults: &mut Vec<TemplateFault>,
) {
    let Ok(variants) = render_all_variants(kind, wording) else {
        return faults.push(body_fault(TemplateFaultCode::Syntax, "This cannot be filled in. Please make it simpler."));
    };
    let any = |wrong: &dyn Fn(&str) -> bool| variants.iter().any(|filled| wrong(&filled.body));
    let introduces = kind.is_first_in_conversation() || kind == TemplateKindName::HelpReply;
    if (introduces || kind == TemplateKindName::StopConfirmation) && any(&|body| !body.contains(BUSINESS)) {
        faults.push(body_fault(
            TemplateFaultCode::BusinessNotNamed,
            "This must name your business: put {{ businessName }} in it, outside of any if.",
        ));
    }
    if introduces && any(&|body| !tells_how_to_stop(body)) {
        faults.push(body_fault(TemplateFaultCode::StopMissing, "This must say how to stop: “Reply STOP to opt out.”"));
    }
    if kind.asks_for_review() && !body.prints_variable(WordingVariable::ReviewLink) {
        faults.push(body_fault(
            TemplateFaultCode::ReviewLinkMissing,
            "A review request needs the link: put {{ reviewLink }} in it.",
        ));
    }
    if kind.asks_for_confirmation() && can_lose_link(kind, wording) {
        faults.push(body_fault(
            TemplateFaultCode::VisitLinkMissing,
            "Without the link no one can keep their time: put {{ visitLink }} in it, outside of any other if.",
        ));
    }
    if kind == TemplateKindName::StopConfirmation
        && any(&|body| LINKS.iter().any(|link| body.to_lowercase().contains(link)))
    {
        faults
            .push(body_fault(TemplateFaultCode::LinkNotAllowed, "The confirmation of STOP may not have a link in it."));
    }
    faults.extend(find_incentive_fault(kind, &variants));
    faults.extend(find_segment_fault(kind, &variants));
}

fn find_incentive_fault(kind: TemplateKindName, variants: &[RenderedWording]) -> Option<TemplateFault> {
    if kind.audience() == TemplateAudience::Team {
        return None;
    }
    let text = |filled: &RenderedWording| format!("{} {}", filled.subject.as_deref().unwrap_or_default(), filled.body);
    let find = |judge: fn(&str) -> Option<String>| variants.iter().find_map(|filled| judge(&text(filled)));
    if kind == TemplateKindName::StopConfirmation {
        let word = find(incentive::find_promotion)?;
        let message = format!("The confirmation of STOP may not advertise anything: take “{word}” out.");
        return Some(TemplateFault { name: Some(word), ..body_fault(TemplateFaultCode::PromotionNotAllowed, message) });
    }
    let word = find(if kind.asks_for_review() { incentive::find_offer } else { incentive::find_review_incentive })?;
    let message = format!(
        "Nothing may be offered for a review: take “{word}” out. The law (16 CFR 465.4) and the review sites forbid it."
    );
    Some(TemplateFault { name: Some(word), ..body_fault(TemplateFaultCode::IncentiveForReview, message) })
}

/// Whether the link disappears when another value is unknown.
fn can_lose_link(kind: TemplateKindName, wording: &TemplateWording) -> bool {
    let examples = WordingValues::example_values(BUSINESS);
    let less = kind
        .allowed_variables()
        .iter()
        .filter(|v| **v != WordingVariable::VisitLink)
        .map(|v| examples.without_variable(*v));
    let link = WordingVariable::VisitLink.example();
    let leaves_out = |variables: &WordingValues| {
        render::render_wording(kind, wording, variables).is_ok_and(|filled| !filled.body.contains(link))
    };
    [examples.clone()].iter().any(leaves_out) || less.into_iter().any(|variables| leaves_out(&variables))
}

/// The longest rendering decides.
fn find_segment_fault(kind: TemplateKindName, variants: &[RenderedWording]) -> Option<TemplateFault> {
    let most = kind.max_segments()?;
    let segments = variants.iter().map(|filled| sms_segments::count_segments(&filled.body).segments).max()?;
    (segments > most).then(|| {
        let whose = if most == 1 { "one text".to_owned() } else { format!("{most} texts") };
        body_fault(
            TemplateFaultCode::TooManySegments,
            format!("This is sent as {segments} texts; it may be {whose} at most. Please make it shorter, or use plainer letters."),
        )
    })
}

/// Renderings with all values, with none, and with each alone known or alone missing. The business name is known.
fn render_all_variants(kind: TemplateKindName, wording: &TemplateWording) -> Result<Vec<RenderedWording>> {
    let examples = WordingValues::example_values(BUSINESS);
    let optional: Vec<WordingVariable> =
        kind.allowed_variables().iter().copied().filter(|v| *v != WordingVariable::BusinessName).collect();
    let none = optional.iter().fold(examples.clone(), |less, variable| less.without_variable(*variable));
    let one_missing = optional.iter().map(|variable| examples.without_variable(*variable));
    let one_known = optional.iter().map(|kept| {
        optional.iter().filter(|v| *v != kept).fold(examples.clone(), |less, variable| less.without_variable(*variable))
    });
    let ways = [examples.clone(), none].into_iter().chain(one_missing).chain(one_known);
    ways.map(|variables| render::render_wording(kind, wording, &variables)).collect()
}

/// `STOP` in capitals, or one of the phrases. "We will stop by" is neither.
pub(super) fn tells_how_to_stop(body: &str) -> bool {
    let small = body.to_lowercase();
    let words: Vec<&str> = body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let capitals = words.iter().enumerate().any(|(at, word)| {
        matches!(*word, "STOP" | "ALTO") && !words.get(at + 1).is_some_and(|next| next.eq_ignore_ascii_case("by"))
    });
    capitals || HOW_TO_STOP.iter().any(|saying| small.contains(saying))
}

pub(super) fn collect_warnings(
    kind: TemplateKindName,
    body: &ScannedField<'_>,
    subject: Option<&ScannedField<'_>>,
    warnings: &mut Vec<TemplateWarning>,
) {
    if kind.channel() != TemplateChannel::Email {
        warnings.extend(find_costly_characters(body));
    }
    let uses = |text: &ScannedField<'_>| text.prints_variable(WordingVariable::CustomerName);
    let greets = kind.default_wording().body.contains(WordingVariable::CustomerName.name());
    if kind.audience() == TemplateAudience::Customer && greets && !uses(body) && !subject.is_some_and(uses) {
        warnings.push(TemplateWarning {
            code: TemplateWarningCode::CustomerNotNamed,
            field: TemplateField::Body,
            message:
                "The customer's name is not used. A text with a name reads less like a machine: {{ customerName }}."
                    .to_owned(),
            place: None,
            found: None,
            instead: Some("{{ customerName }}".to_owned()),
        });
    }
    for text in [subject, Some(body)].into_iter().flatten() {
        warnings.extend(text.unguarded_link_warnings());
    }
}

pub(super) fn find_untimed_promise_warning(
    kind: TemplateKindName,
    wording: &TemplateWording,
) -> Option<TemplateWarning> {
    let found = response_time::find_untimed_promise(&render_without_names(
        kind,
        wording,
        &WordingValues::example_values(BUSINESS),
    )?)?;
    let place =
        wording.body.find(&found).map(|at| TemplatePlace::from_byte_range(&wording.body, &(at..at + found.len())));
    Some(TemplateWarning {
        code: TemplateWarningCode::PromiseNotTimed,
        field: if place.is_some() || wording.subject.is_none() { TemplateField::Body } else { TemplateField::Subject },
        message: format!(
            "“{found}” cannot be timed, so no one is warned when it runs out. Say it in hours: “within 24 hours”."
        ),
        place,
        found: Some(found),
        instead: None,
    })
}

/// Each distinct character that forces UCS-2: 70 characters per segment instead of 160.
fn find_costly_characters(body: &ScannedField<'_>) -> Vec<TemplateWarning> {
    let mut seen = BTreeSet::new();
    let dear = body.source.char_indices().filter(|(_, c)| !is_gsm7_char(*c) && seen.insert(*c));
    dear.map(|(at, c)| {
        let instead = cheaper_spelling(c);
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
        TemplateWarning {
            code: TemplateWarningCode::CostlyCharacter,
            field: body.field,
            message: format!("“{c}” makes every text of this wording cost about twice as much. {hint}"),
            place: Some(TemplatePlace::from_byte_range(body.source, &(at..at + c.len_utf8()))),
            found: Some(c.to_string()),
            instead: instead.map(ToOwned::to_owned),
        }
    })
    .collect()
}

pub(super) fn is_gsm7_char(c: char) -> bool {
    sms_segments::count_segments(c.encode_utf8(&mut [0; 4])).encoding == SmsEncoding::Gsm7
}

fn cheaper_spelling(c: char) -> Option<&'static str> {
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

fn body_fault(code: TemplateFaultCode, message: impl Into<String>) -> TemplateFault {
    TemplateFault::for_whole_text(code, TemplateField::Body, message)
}

impl ScannedField<'_> {
    fn prints_variable(&self, variable: WordingVariable) -> bool {
        self.reading.uses.iter().any(|found| found.printed && found.name == variable.name())
    }

    /// Links printed outside an `if` that tests them: a missing link would leave half a sentence.
    fn unguarded_link_warnings(&self) -> Vec<TemplateWarning> {
        let link = |name: &str| WordingVariable::ALL.iter().any(|v| v.is_link() && v.name() == name);
        let bare = self.reading.uses.iter().filter(|found| found.printed && !found.guarded && link(&found.name));
        bare.map(|found| TemplateWarning {
            code: TemplateWarningCode::LinkNotOptional,
            field: self.field,
            message: format!(
                "While you have no such link, this sentence goes out without it. Put it inside {{% if {0} %}} ... {{% endif %}}.",
                found.name
            ),
            place: Some(TemplatePlace::from_byte_range(self.source, &found.at)),
            found: Some(found.name.clone()),
            instead: None,
        })
        .collect()
    }
}
