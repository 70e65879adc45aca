//! View model of the estimate page's template.

use std::collections::BTreeMap;

use minijinja::{
    Value,
    value::{Serde, merge_maps},
};
use serde::Serialize;
use shared::{
    documents::line_items::{LineItem, OptionSelection},
    domain::money::estimate::{EstimateStatus, PublicEstimate, approve},
    platform::money::Cents,
};

use super::super::{
    LinkSession,
    card_payment::PayButtonView,
    document_lines::{LineItemView, format_quantity, split_paragraphs, total_rows},
    field_error::FormErrors,
    form::FormFields,
    letterhead,
    words::PageText,
};

pub(super) struct EstimatePageContext<'a> {
    pub session: &'a LinkSession,
    pub token: &'a str,
    pub offer: &'a PublicEstimate,
    pub words: &'static PageText,
    pub selection: &'a OptionSelection,
    pub typed: &'a FormFields,
    pub error: Option<FormErrors>,
    pub is_asked: bool,
    /// A member of the business looks at its own copy: without the buttons that answer.
    pub is_office: bool,
    /// Rest of the deposit, and whether it can be paid by card.
    pub pay: Option<PayButtonView>,
    pub is_deposit_paid: bool,
    /// The visit for the approved work, or the times for it.
    pub work: Option<Value>,
}

#[derive(Serialize)]
struct OptionView {
    id: String,
    name: String,
    description: Vec<String>,
    lines: Vec<LineItemView>,
    total: String,
    is_chosen: bool,
    is_recommended: bool,
}

#[derive(Serialize)]
struct AddOnView {
    id: String,
    name: String,
    description: Vec<String>,
    price: String,
    /// "2 each × $45.00"; `None` where it repeats the price.
    quantity: Option<String>,
    /// Option it belongs to, if not all.
    only_with: Option<String>,
    option_id: Option<String>,
    is_ticked: bool,
    /// Belongs to another option than the chosen one.
    is_out: bool,
}

impl EstimatePageContext<'_> {
    pub(super) fn template_context(&self) -> Value {
        let (offer, words, paper) = (self.offer, self.words, self.offer.paper());
        let totals = paper.compute_totals(self.selection);
        let deposit = offer.deposit_rule().apply_to(totals.total);
        let before: Vec<(String, String)> =
            offer.agreed_before().into_iter().map(|(label, amount)| (label, amount.format_usd())).collect();
        minijinja::context! {
            state => status_name(offer.status), is_open => offer.status == EstimateStatus::Open,
            number => offer.number(), title => offer.title(), customer => offer.customer(),
            issued => words.format_day(offer.issued_on), expires => offer.expires_on.map(|day| words.format_day(day)),
            lines => Serde(self.line_views(None)),
            options => Serde(self.option_views()), add_ons => Serde(self.add_on_views()),
            sums => Serde(total_rows(&totals, words)), total => totals.total.format_usd(),
            deposit => (deposit > Cents::ZERO && !self.is_deposit_closed()).then(|| deposit.format_usd()),
            notes => split_paragraphs(paper.notes.as_deref()), terms => split_paragraphs(paper.terms.as_deref()),
            job => offer.job_number(), before => Serde(&before), after => offer.total_with(totals.total).format_usd(),
            agree => approve::consent_text(offer.kind(), offer.language(), paper.terms.is_some()), sha256 => offer.sha256.as_str(),
            error => Serde(&self.error), is_asked => self.is_asked, asks_with => "estimate", is_office => self.is_office,
            name => self.typed.first_value("name"), strokes => self.typed.first_value("strokes"),
            question => self.typed_question(), reason => self.typed_reason(),
            approval => Serde(self.approval_view()),
            has_signed => offer.signed_file.is_some(), pay => Serde(&self.pay), deposit_paid => self.is_deposit_paid,
            has_work => self.work.is_some(), ..self.with_work(letterhead::link_head(self.session, self.token, words))
        }
    }

    /// Adds the free times and the visit to the head of the page.
    fn with_work(&self, head: Value) -> Value {
        match &self.work {
            Some(work) => merge_maps([work.clone(), head]),
            None => head,
        }
    }

    /// The deposit is neither due nor simply paid: it was waived, or the invoice asks for it.
    fn is_deposit_closed(&self) -> bool {
        self.offer.status == EstimateStatus::Approved && self.pay.is_none() && !self.is_deposit_paid
    }

    fn typed_question(&self) -> Option<&str> {
        self.typed.first_value("question").filter(|_| self.error.is_some())
    }

    fn typed_reason(&self) -> Option<&str> {
        self.typed.first_value("reason").filter(|_| self.error.is_some())
    }

    fn approval_view(&self) -> Option<BTreeMap<&'static str, String>> {
        let approval = self.offer.approval.as_ref()?;
        let at = self.words.format_moment(approval.at, self.session.profile.org.zone());
        Some(BTreeMap::from([("name", approval.name.clone()), ("at", at)]))
    }

    /// Lines common to all options, or those of one option.
    fn line_views(&self, option: Option<&str>) -> Vec<LineItemView> {
        let paper = self.offer.paper();
        let own = paper.lines.iter().filter(|line| !line.is_optional && line.option_id.as_deref() == option);
        own.map(|line| LineItemView::from_line(paper, line, self.words)).collect()
    }

    fn option_views(&self) -> Vec<OptionView> {
        let paper = self.offer.paper();
        let recommended = paper.recommended.as_ref();
        let view = |option: &shared::documents::line_items::DocumentOption| OptionView {
            id: option.id.clone(),
            name: option.name.clone(),
            description: split_paragraphs(option.description.as_deref()),
            lines: self.line_views(Some(&option.id)),
            total: paper.compute_totals(&self.selection_with(&option.id)).total.format_usd(),
            is_chosen: self.selection.option_id.as_ref() == Some(&option.id),
            is_recommended: recommended == Some(&option.id),
        };
        let all = paper.options.iter().map(view);
        // A signed paper is shown without what was not chosen.
        all.filter(|option| option.is_chosen || self.offer.approval.is_none()).collect()
    }

    /// This option with the ticked add-ons that it offers.
    fn selection_with(&self, option: &str) -> OptionSelection {
        let paper = self.offer.paper();
        let fits = paper.add_ons_for_option(Some(option)).map(|line| line.id.clone());
        let add_ons = fits.filter(|id| self.selection.add_ons.contains(id)).collect();
        OptionSelection { option_id: Some(option.to_owned()), add_ons }
    }

    fn add_on_views(&self) -> Vec<AddOnView> {
        let paper = self.offer.paper();
        let named =
            |id: &String| paper.options.iter().find(|option| option.id == *id).map(|option| option.name.clone());
        let view = |line: &LineItem| AddOnView {
            id: line.id.clone(),
            name: line.name.clone(),
            description: split_paragraphs(line.description.as_deref()),
            price: format_added_price(paper.net_price_of(line)),
            quantity: format_quantity(line),
            only_with: line.option_id.as_ref().and_then(named),
            option_id: line.option_id.clone(),
            is_ticked: self.selection.add_ons.contains(&line.id),
            is_out: !line.belongs_to_option(self.selection.option_id.as_deref()),
        };
        let all = paper.lines.iter().filter(|line| line.is_optional).map(view);
        all.filter(|add| add.is_ticked || self.offer.approval.is_none()).collect()
    }
}

/// "+ $75.00"; a reduction has its own sign.
fn format_added_price(price: Cents) -> String {
    if price < Cents::ZERO { price.format_usd() } else { format!("+ {}", price.format_usd()) }
}

fn status_name(status: EstimateStatus) -> &'static str {
    match status {
        EstimateStatus::Open | EstimateStatus::Preparing => "open",
        EstimateStatus::Expired => "expired",
        EstimateStatus::Approved => "approved",
        EstimateStatus::Declined => "declined",
        EstimateStatus::Replaced | EstimateStatus::Superseded => "replaced",
        EstimateStatus::Withdrawn => "withdrawn",
    }
}
