//! Handlers of later domains, and of this layer, for earlier ones.

use crate::{
    domain::{
        growth::{
            kpi_pulse::{failure::WorkerWatch, plan::handle_plan_of_org},
            metrics::recompute::handle_recompute_of_org,
            review::{
                key::revoke_key_of_stranger,
                request_lifecycle::listener::{handle_customer_event, handle_job_event, handle_money_event},
                sequence::handlers::{ReviewFollowUps, ReviewMessages},
            },
        },
        intake::customer::listener::CustomerListeners,
        messaging::{
            followup::subject::FollowUpRules,
            inbound::pending_question::PendingQuestions,
            message::{access_listener::handle_message_access_event, subject::MessageSubjects},
        },
        money::{
            estimate::{follow_up_rule::EstimateFollowUps, message_subject::EstimateMessages},
            invoice::{
                agreed::list_approved_lines, dunning::follow_up_rule::InvoiceFollowUps,
                message_subject::InvoiceMessages,
            },
            job_listener::handle_money_of_job,
            ledger::{load_quoted_amount, message_subject::ReceiptMessages, refund_title::retitle_refunds},
            listener::LeadMoneyListeners,
        },
        tenancy::{account::listener::AccessListeners, org::listener::OrgListeners},
        work::{
            activity::EventTitleUpdaters,
            booking::question::BookingQuestion,
            crew::feed::handle_access_event,
            job::quoted::QuotedWork,
            listener::JobListeners,
            visit::{follow_up_rule::VisitFollowUps, message_subject::VisitMessages},
        },
    },
    ops::system_status::is_worker_stalled,
    platform::db::Handlers,
};

pub static HANDLERS: Handlers = Handlers(&[
    &ACCESS_LISTENERS,
    &CUSTOMER_LISTENERS,
    &JOB_LISTENERS,
    &LEAD_MONEY_LISTENERS,
    &FOLLOW_UP_RULES,
    &MESSAGE_SUBJECTS,
    &ORG_LISTENERS,
    &PENDING_QUESTIONS,
    &QUOTED_WORK,
    &RETITLERS,
    &WORKER_WATCH,
]);

static ACCESS_LISTENERS: AccessListeners =
    AccessListeners(&[handle_access_event, handle_message_access_event, revoke_key_of_stranger]);

static CUSTOMER_LISTENERS: CustomerListeners = CustomerListeners(&[handle_customer_event]);

static JOB_LISTENERS: JobListeners = JobListeners(&[handle_money_of_job, handle_job_event]);

static LEAD_MONEY_LISTENERS: LeadMoneyListeners = LeadMoneyListeners(&[handle_money_event]);

static FOLLOW_UP_RULES: FollowUpRules =
    FollowUpRules(&[&EstimateFollowUps, &InvoiceFollowUps, &ReviewFollowUps, &VisitFollowUps]);

static MESSAGE_SUBJECTS: MessageSubjects = MessageSubjects(&[
    &BookingQuestion,
    &EstimateMessages,
    &InvoiceMessages,
    &ReceiptMessages,
    &ReviewMessages,
    &VisitMessages,
]);

static ORG_LISTENERS: OrgListeners = OrgListeners(&[handle_recompute_of_org, handle_plan_of_org]);

static PENDING_QUESTIONS: PendingQuestions = PendingQuestions(&[&BookingQuestion]);

static QUOTED_WORK: QuotedWork = QuotedWork {
    load_amount: |conn, org, lead| Box::pin(load_quoted_amount(conn, org, lead)),
    list_approved_lines: |tx, org, lead| Box::pin(list_approved_lines(tx, org, lead)),
};

static RETITLERS: EventTitleUpdaters = EventTitleUpdaters(&[retitle_refunds]);

static WORKER_WATCH: WorkerWatch =
    WorkerWatch { is_stalled: |conn, org, now| Box::pin(is_worker_stalled(conn, org, now)) };
