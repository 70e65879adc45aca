//! A refund in doubt of which Stripe cannot be asked any more: somebody of the business looks it up in Stripe and says how
//! it ended.

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    Kind, PaymentView, Status, card, pay,
    refund::{Stored, held},
    view,
};
use crate::{
    domain::work::activity::{self, Doer, EventKind, NewEvent},
    platform::{
        clock::Origin,
        db::Tx,
        error::{Error, FieldErrors, Result},
        id::{OrgId, PaymentId},
    },
};

/// How a refund in doubt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RefundOutcome)]
pub enum Outcome {
    /// Stripe lists it.
    Refunded,
    /// Stripe does not list it.
    NotRefunded,
}

impl From<Outcome> for Status {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Refunded => Self::Settled,
            Outcome::NotRefunded => Self::Failed,
        }
    }
}

/// How a refund ended, as it was typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SettleForm {
    pub outcome: Option<Outcome>,
    pub note: Option<String>,
}

/// How a refund ended, with a note for the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub outcome: Outcome,
    pub note: Option<String>,
}

impl SettleForm {
    /// What was typed, once it fits.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub fn check(&self) -> Result<Settlement> {
        let mut errors = FieldErrors::default();
        if self.outcome.is_none() {
            errors.add("outcome", "Choose whether it was refunded");
        }
        let note = pay::note(self.note.as_deref(), &mut errors);
        errors.finish()?;
        Ok(Settlement { outcome: self.outcome.unwrap_or(Outcome::NotRefunded), note })
    }
}

/// Settles a refund in doubt by what somebody saw in Stripe. The caller has made sure that Stripe cannot be asked, and
/// writes the audit line.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when it is no refund in doubt.
pub async fn settle_refund(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: PaymentId,
    new: &Settlement,
    by: &Doer,
) -> Result<PaymentView> {
    let row = held(tx, org, id).await?;
    check(&row)?;
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": row.amount_cents, "outcome": new.outcome, "note": new.note}),
        ..NewEvent::new(row.lead_id, EventKind::RefundSettled, origin.now(), by.clone())
    };
    activity::record(tx, origin, org, event).await?;
    card::change(tx, origin, org, (id, &row), (new.outcome.into(), by)).await?;
    view::payment(tx, org, id, origin.now()).await
}

fn check(row: &Stored) -> Result<()> {
    if row.undone_at.is_some() {
        return Err(Error::Conflict("It was taken back already."));
    }
    may_be_settled(row.kind, row.status)
}

/// Only what is in doubt is settled by hand.
fn may_be_settled(kind: Kind, status: Status) -> Result<()> {
    match (kind, status) {
        (Kind::Refund, Status::Unknown) => Ok(()),
        (Kind::Refund, Status::Pending) => {
            Err(Error::Conflict("This refund is on its way. We ask Stripe by ourselves how it ends."))
        }
        (Kind::Refund, _) => Err(Error::Conflict("This refund is not in doubt any more.")),
        _ => Err(Error::Conflict("Only a refund can be marked as refunded or not refunded.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refund_in_doubt_is_settled_by_hand() {
        for kind in [Kind::Payment, Kind::Refund, Kind::WriteOff] {
            for status in [Status::Settled, Status::Pending, Status::Unknown, Status::Failed, Status::Test] {
                let wanted = kind == Kind::Refund && status == Status::Unknown;
                assert_eq!(may_be_settled(kind, status).is_ok(), wanted, "{kind:?} {status:?}");
            }
        }
    }

    #[test]
    fn an_outcome_is_needed_and_a_note_is_not() {
        let checked = |form: serde_json::Value| serde_json::from_value::<SettleForm>(form).unwrap().check();
        let refunded = Settlement { outcome: Outcome::Refunded, note: None };
        assert_eq!(checked(json!({"outcome": "refunded"})).unwrap(), refunded);
        let not = Settlement { outcome: Outcome::NotRefunded, note: Some("Looked at Oct 3".into()) };
        assert_eq!(checked(json!({"outcome": "not_refunded", "note": " Looked at Oct 3 "})).unwrap(), not);
        for (form, field) in [
            (json!({}), "outcome"),
            (json!({"outcome": null}), "outcome"),
            (json!({"outcome": "refunded", "note": "x".repeat(501)}), "note"),
        ] {
            match checked(form) {
                Err(Error::Invalid(errors)) => assert_eq!(errors.said()[0].0, field),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_is_said_becomes_the_state() {
        assert_eq!(Status::from(Outcome::Refunded), Status::Settled);
        assert_eq!(Status::from(Outcome::NotRefunded), Status::Failed);
    }
}
