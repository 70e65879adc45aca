//! Dispatch of a claimed task to the function of its kind, within its business.

use std::{panic::AssertUnwindSafe, sync::Arc};

use apalis::prelude::{AbortError, BoxDynError, Data};
use futures::FutureExt;
use shared::platform::{
    db::tenant_scope,
    id::{
        AlertId, CheckoutId, CrewId, DeviceId, EstimateId, EventId, FollowUpId, InstallMailId, MessageId,
        NumberClaimId, NumberOrderId, OrgId, PaymentId, PulseId, SlaId, SubscriptionId, TextingRegistrationId,
        WebhookDeliveryId,
    },
    request_id,
    spans::{record_task_outcome, task_span},
    tasks::{ClaimedTask, TaskKind, TaskOutcome, queue as table},
};
use tracing::Instrument;
use uuid::Uuid;

use crate::{
    Context,
    tasks::{growth, intake, messaging, money, ops, tenancy, work},
};

const MOST_PANICS: i64 = 3;

pub(super) async fn perform_task(task: ClaimedTask, context: Data<Arc<Context>>) -> Result<(), BoxDynError> {
    match execute_task(task, &context).await {
        TaskOutcome::Done => Ok(()),
        TaskOutcome::Retry(why) => Err(why.into()),
        TaskOutcome::Dead(why) => Err(Box::new(AbortError::new(why))),
    }
}

/// Carries out one task in a span of its own. What it queues belongs to its request too.
pub async fn execute_task(task: ClaimedTask, context: &Context) -> TaskOutcome {
    let (request, span) = (task.request, task_span(&task, context.origin.now()));
    let work = run_task(task, context).instrument(span.clone());
    let outcome = match request {
        Some(id) => request_id::with_request(id, work).await,
        None => work.await,
    };
    record_task_outcome(&span, &outcome);
    span.in_scope(|| tracing::debug!("the task ended"));
    outcome
}

/// A panic is a failure, but the third one marks the task dead: a poison pill must not hold a slot for ever (trust
/// requirement 15). The start of a quarantined task is recorded first.
async fn run_task(task: ClaimedTask, context: &Context) -> TaskOutcome {
    let attempts = task.attempts;
    if task.is_quarantined {
        match table::record_start(&context.db, &context.name, &task).await {
            Ok(true) => {}
            Ok(false) => return TaskOutcome::Retry("it was taken from this worker".to_owned()),
            Err(e) => return TaskOutcome::Retry(e.to_string()),
        }
    }
    // On the heap: the combined future of all kinds of tasks is too large to move.
    let work = with_task_tenant(task.org, Box::pin(dispatch_task(task, context)));
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(end) => end,
        Err(_) if attempts >= MOST_PANICS => TaskOutcome::Dead("it panicked three times".to_owned()),
        Err(_) => TaskOutcome::Retry("it panicked".to_owned()),
    }
}

/// A task of one business sees only that business's rows, even if a query lacks the condition; a task of the install
/// sees all.
async fn with_task_tenant(org: Option<OrgId>, work: impl Future<Output = TaskOutcome>) -> TaskOutcome {
    match org {
        Some(org) => tenant_scope::with_tenant(org, work).await,
        None => tenant_scope::across_tenants(work).await,
    }
}

/// Tasks of a business's sending number.
async fn dispatch_number_task(
    kind: TaskKind,
    id: Uuid,
    org: Option<OrgId>,
    context: &Context,
) -> shared::platform::error::Result<()> {
    match kind {
        TaskKind::BuyNumber => messaging::buy_number::run_purchase(context, org, NumberOrderId(id)).await,
        TaskKind::RegisterTexting => {
            messaging::register_texting::run_registration(context, org, TextingRegistrationId(id)).await
        }
        _ => messaging::send_number_code::run(context, NumberClaimId(id)).await,
    }
}

async fn dispatch_task(task: ClaimedTask, context: &Context) -> TaskOutcome {
    let ended = match (task.kind, task.subject) {
        (Some(TaskKind::SendMessage | TaskKind::SendEmail), Some(id)) => {
            messaging::send_message::run(context, MessageId(id)).await
        }
        (Some(TaskKind::ReconcileDelivery), Some(id)) => {
            messaging::reconcile_delivery::run(context, MessageId(id)).await
        }
        (Some(TaskKind::ProcessInboundSms), Some(id)) => {
            messaging::process_inbound_sms::run(context, MessageId(id)).await
        }
        (Some(TaskKind::FetchMedia), Some(id)) => messaging::fetch_media::run(context, MessageId(id)).await,
        (Some(TaskKind::RedrawPhotos), _) => intake::reencode_photos::run(context).await,
        (Some(TaskKind::PushAlert), Some(id)) => messaging::push_alert::run(context, task.org, AlertId(id)).await,
        (Some(TaskKind::EscalateAlert), Some(id)) => {
            messaging::escalate_alert::run(context, task.org, AlertId(id)).await
        }
        (Some(TaskKind::TestDevice), Some(id)) => messaging::push_alert::send_test_push(context, DeviceId(id)).await,
        (Some(TaskKind::FinalizeDocument), Some(id)) => money::finalize_document::run(context, id).await,
        (Some(TaskKind::FollowUp), Some(id)) => messaging::send_follow_up::run(context, FollowUpId(id)).await,
        (Some(TaskKind::BillJob), Some(id)) => money::bill_job::run(context, EventId(id)).await,
        (Some(TaskKind::SignCopy), Some(id)) => money::send_signed_copy::run(context, EstimateId(id)).await,
        (Some(TaskKind::SettleCheckout), Some(id)) => money::settle_checkout::run(context, CheckoutId(id)).await,
        (Some(TaskKind::ExpireCheckout), Some(id)) => money::expire_checkout::run(context, CheckoutId(id)).await,
        (Some(TaskKind::Reconcile), Some(id)) => money::reconcile_payments::run(context, OrgId(id)).await,
        (Some(TaskKind::CheckAccount), Some(id)) => money::check_connected_account::run(context, OrgId(id)).await,
        (Some(TaskKind::RefundCard), Some(id)) => match task.org {
            Some(org) => money::refund_card::run(context, org, PaymentId(id)).await,
            None => Ok(()),
        },
        (Some(TaskKind::SendReceipt), Some(id)) => money::send_receipt::run(context, PaymentId(id)).await,
        (Some(TaskKind::Recount), Some(id)) => growth::recompute_metrics::run(context, OrgId(id)).await,
        (Some(TaskKind::SendPulse), Some(id)) => growth::send_kpi_pulse::run(context, PulseId(id)).await,
        (Some(TaskKind::SeedDemo), _) => ops::seed_demo::run(context).await,
        (Some(TaskKind::NotifyCrew), Some(id)) => work::notify_crew::run(context, CrewId(id)).await,
        (Some(TaskKind::CheckSla), Some(id)) => messaging::check_sla::run(context, SlaId(id)).await,
        (Some(TaskKind::SettleSubscription), Some(id)) => {
            ops::settle_subscription::run(context, SubscriptionId(id)).await
        }
        (Some(TaskKind::CancelSubscriptionAttempt), Some(id)) => {
            ops::cancel_subscription_attempt::run(context, SubscriptionId(id)).await
        }
        (Some(kind @ (TaskKind::SendNumberCode | TaskKind::BuyNumber | TaskKind::RegisterTexting)), Some(id)) => {
            dispatch_number_task(kind, id, task.org, context).await
        }
        (Some(TaskKind::SendInstallMail), Some(id)) => {
            tenancy::send_install_mail::run(context, InstallMailId(id)).await
        }
        (Some(TaskKind::DeliverWebhook), Some(id)) => ops::deliver_webhook::run(context, WebhookDeliveryId(id)).await,
        (Some(TaskKind::Noop), _) => Ok(()),
        (None, _) | (Some(_), None) => {
            return TaskOutcome::Dead("this version does not know this kind of task".to_owned());
        }
    };
    ended.map_or_else(|e| TaskOutcome::Retry(e.to_string()), |()| TaskOutcome::Done)
}
