//! Refusals about the subscription of a business.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    StripeRefused
        "Stripe {answer}."
        "Stripe: {answer}.";
    SubscriptionActive
        "Its subscription still goes on at Stripe. End it there first."
        "Su suscripción sigue activa en Stripe. Termínela allí primero.";
    RequestNotPaid
        "Nothing was paid for this request yet."
        "Todavía no se pagó nada por esta solicitud.";
    SubscriptionClaimed
        "A business has this subscription already."
        "Otra empresa ya tiene esta suscripción.";
    AlreadySubscribed
        "This business has a subscription already."
        "Esta empresa ya tiene una suscripción.";
    BillingNotSetUp
        "Billing is not set up on this install."
        "La facturación de suscripciones no está configurada en esta instalación.";
    NotSubscribed
        "There is no subscription yet."
        "Todavía no hay suscripción.";
    SubscriptionEnded
        "The subscription has ended already."
        "La suscripción ya terminó.";
    NoCancellation
        "There is no cancellation to undo."
        "No hay ninguna cancelación que se pueda deshacer.";
    SubscriptionStillEnds
        "Stripe still ends it on that day. Take it back there, under Manage Subscription."
        "Stripe todavía la termina ese día. Deshágalo allí, en Administrar suscripción.";
    InstallIsCopy
        "This install was put back from a copy, and changes nothing at Stripe until its operator releases it."
        "Esta instalación se restauró de una copia y no cambia nada en Stripe hasta que su operador la libere.";
};
