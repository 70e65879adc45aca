//! Manual settlement of a refund in doubt that Stripe can no longer be asked about: a person looks it up in Stripe and
//! states the outcome.

use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    PaymentKind, PaymentStatus, PaymentView, card, pay,
    refund::{StoredPayment, lock_payment},
    view,
};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::activity_log::{self, ActivityActor, EventKind, NewEvent, SettledRefund},
    platform::{
        clock::ClockRng,
        db::Tx,
        error::{FieldErrors, Result},
        field_schemas,
        id::{OrgId, PaymentId},
    },
};

pub use crate::domain::tenancy::activity_log::RefundOutcome;

impl From<RefundOutcome> for PaymentStatus {
    fn from(outcome: RefundOutcome) -> Self {
        match outcome {
            RefundOutcome::Refunded => Self::Settled,
            RefundOutcome::NotRefunded => Self::Failed,
        }
    }
}

/// How a refund in doubt ended.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = SettleRefundRequest)]
pub struct RefundSettlementForm {
    /// What Stripe shows.
    #[schema(value_type = RefundOutcome, required)]
    pub outcome: Option<RefundOutcome>,
    /// For the timeline.
    #[schema(schema_with = field_schemas::nullable_text::<500>)]
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundSettlement {
    pub outcome: RefundOutcome,
    pub note: Option<String>,
}

impl RefundSettlementForm {
    /// Errors: `Error::Invalid`, naming every field that does not fit.
    pub fn to_settlement(&self) -> Result<RefundSettlement> {
        let mut errors = FieldErrors::default();
        if self.outcome.is_none() {
            errors.add("outcome", "Choose whether it was refunded");
        }
        let note = pay::parse_note(self.note.as_deref(), &mut errors);
        errors.into_result()?;
        Ok(RefundSettlement { outcome: self.outcome.unwrap_or(RefundOutcome::NotRefunded), note })
    }
}

/// Settles a refund in doubt by what a person saw in Stripe. The caller has checked that Stripe cannot be asked, and
/// writes the audit line.
/// Errors: `Error::NotFound`; `Error::Conflict` when it is no refund in doubt.
pub async fn settle_refund(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: PaymentId,
    new: &RefundSettlement,
    by: &ActivityActor,
) -> Result<PaymentView> {
    let row = lock_payment(tx, org, id).await?;
    check_settleable(&row)?;
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!(SettledRefund { amount: row.amount_cents, outcome: new.outcome, note: new.note.clone() }),
        ..NewEvent::new(row.lead_id, EventKind::RefundSettled, origin.now(), by.clone())
    };
    activity_log::record_event(tx, origin, org, event).await?;
    card::set_payment_status(tx, origin, org, (id, &row), (new.outcome.into(), by)).await?;
    view::load_payment(tx, org, id, origin.now()).await
}

fn check_settleable(row: &StoredPayment) -> Result<()> {
    if row.undone_at.is_some() {
        return Err(ConflictCode::AlreadyUndone.into_error());
    }
    check_in_doubt(row.kind, row.status)
}

fn check_in_doubt(kind: PaymentKind, status: PaymentStatus) -> Result<()> {
    match (kind, status) {
        (PaymentKind::Refund, PaymentStatus::Unknown) => Ok(()),
        (PaymentKind::Refund, PaymentStatus::Pending) => Err(ConflictCode::RefundPending.into_error()),
        (PaymentKind::Refund, _) => Err(ConflictCode::RefundNotInDoubt.into_error()),
        _ => Err(ConflictCode::NoRefundToSettle.into_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    #[test]
    fn manual_settlement_is_limited_to_refunds_in_doubt() {
        for kind in [PaymentKind::Payment, PaymentKind::Refund, PaymentKind::WriteOff] {
            for status in [
                PaymentStatus::Settled,
                PaymentStatus::Pending,
                PaymentStatus::Unknown,
                PaymentStatus::Failed,
                PaymentStatus::Test,
            ] {
                let wanted = kind == PaymentKind::Refund && status == PaymentStatus::Unknown;
                assert_eq!(check_in_doubt(kind, status).is_ok(), wanted, "{kind:?} {status:?}");
            }
        }
    }

    #[test]
    fn settlement_form_requires_outcome_but_no_note() {
        let checked =
            |form: serde_json::Value| serde_json::from_value::<RefundSettlementForm>(form).unwrap().to_settlement();
        let refunded = RefundSettlement { outcome: RefundOutcome::Refunded, note: None };
        assert_eq!(checked(json!({"outcome": "refunded"})).unwrap(), refunded);
        let not = RefundSettlement { outcome: RefundOutcome::NotRefunded, note: Some("Looked at Oct 3".into()) };
        assert_eq!(checked(json!({"outcome": "not_refunded", "note": " Looked at Oct 3 "})).unwrap(), not);
        for (form, field) in [
            (json!({}), "outcome"),
            (json!({"outcome": null}), "outcome"),
            (json!({"outcome": "refunded", "note": "x".repeat(501)}), "note"),
        ] {
            match checked(form) {
                Err(Error::Invalid(errors)) => assert_eq!(errors.into_messages()[0].0, field),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn settlement_outcome_maps_to_refund_status() {
        assert_eq!(PaymentStatus::from(RefundOutcome::Refunded), PaymentStatus::Settled);
        assert_eq!(PaymentStatus::from(RefundOutcome::NotRefunded), PaymentStatus::Failed);
    }
}
