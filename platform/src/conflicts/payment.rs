//! Refusals about payments, refunds, receipts and the Stripe account of a business.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    PaymentNotRefundable
        "Only a payment that was received can be refunded."
        "Solo se puede reembolsar un pago recibido.";
    AlreadyRefunded
        "All of this payment was refunded already."
        "Todo este pago ya fue reembolsado.";
    RefundExceedsRest
        "Only {left} of this payment can be refunded."
        "Solo se pueden reembolsar {left} de este pago.";
    WriteOffTied
        "It goes back together with its payment."
        "Se deshace junto con su pago.";
    StripeMoneyMoved
        "Stripe has moved this money already. Refund it instead of taking it back."
        "Stripe ya movió este dinero. Reembólselo en lugar de deshacerlo.";
    StripeRefundAsked
        "Stripe was asked to pay this back already. It cannot be undone."
        "Ya se pidió a Stripe devolver este dinero. No se puede deshacer.";
    PaymentHasRefund
        "Money of it was refunded. Take that back first."
        "Parte de este pago fue reembolsada. Deshaga eso primero.";
    ReceiptOfTestPayment
        "This payment is a test. No money moved, so there is no receipt."
        "Este pago es una prueba. No se movió dinero, así que no hay recibo.";
    ReceiptOfPendingRefund
        "This refund is on its way. There is a receipt once the money has gone back."
        "Este reembolso está en camino. Habrá recibo cuando el dinero haya vuelto.";
    ReceiptOfRefundInDoubt
        "Stripe has not confirmed this refund. There is no receipt while it is in doubt."
        "Stripe no ha confirmado este reembolso. No hay recibo mientras esté en duda.";
    ReceiptOfFailedRefund
        "This refund failed. No money went back, so there is no receipt."
        "Este reembolso falló. No se devolvió dinero, así que no hay recibo.";
    ReceiptOfUnpaidPayment
        "This payment has not come in, so there is no receipt."
        "Este pago no ha llegado, así que no hay recibo.";
    ReceiptOfDisputedPayment
        "There is no receipt: the customer's bank took this payment back."
        "No hay recibo: el banco del cliente retiró este pago.";
    ReceiptOfRefundedPayment
        "There is no receipt: this payment was refunded in full."
        "No hay recibo: este pago fue reembolsado por completo.";
    ReceiptOfPaymentBeingRefunded
        "There is no receipt: this payment is being refunded in full."
        "No hay recibo: este pago se está reembolsando por completo.";
    ReceiptNotSendable
        "The receipt cannot be sent: {reason}."
        "No se puede enviar el recibo: {reason}.";
    RefundPending
        "This refund is on its way. We ask Stripe by ourselves how it ends."
        "Este reembolso está en camino. Nosotros preguntamos a Stripe cómo termina.";
    RefundNotInDoubt
        "The outcome of this refund is already known."
        "El resultado de este reembolso ya se conoce.";
    NoRefundToSettle
        "Only a refund can be marked as refunded or not refunded."
        "Solo un reembolso se puede marcar como devuelto o no devuelto.";
    StripeAskedAboutRefund
        "We ask Stripe about this refund by ourselves, and its answer is shown here. Nothing was changed."
        "Nosotros preguntamos a Stripe por este reembolso, y su respuesta aparece aquí. No se cambió nada.";
    StripeAskedUntil
        "We ask Stripe about this refund by ourselves until {until}; then you can mark it. Nothing was changed."
        "Preguntamos a Stripe por este reembolso hasta el {until}; después puede marcarlo. No se cambió nada.";
    StripeKeyRefused
        "Stripe refuses your key, so we cannot see what has gone back. Enter a new key in Settings, Card payments: a refund in doubt then settles by itself. If you no longer have that account, disconnect Stripe there, then try again. Nothing was changed."
        "Stripe rechaza su clave, así que no podemos ver qué se devolvió. Ponga una clave nueva en Configuración, Pagos con tarjeta: un reembolso en duda se aclara entonces solo. Si ya no tiene esa cuenta, desconecte Stripe ahí y después pruebe otra vez. No se cambió nada.";
    StripeAccountNotConnected
        "This payment is in a Stripe account that is not connected. Refund it in Stripe, or choose another way to give it back."
        "Este pago está en una cuenta de Stripe que no está conectada. Reembólselo en Stripe o elija otra forma de devolverlo.";
    StripeNotConnected
        "Stripe is not connected. Nothing was refunded. Connect it again, or choose another way to give it back."
        "Stripe no está conectado. No se reembolsó nada. Conéctelo de nuevo o elija otra forma de devolverlo.";
    StripeRefusedRefund
        "Stripe {answer}. Nothing was refunded."
        "Stripe: {answer}. No se reembolsó nada.";
    StripeRestUnknown
        "Stripe does not tell us now how much of this payment is left. Nothing was refunded. Please try again later."
        "Stripe no nos dice ahora cuánto queda de este pago. No se reembolsó nada. Pruebe otra vez más tarde.";
    StripeRestSmaller
        "Stripe says that {left} of this payment is left. Nothing was refunded."
        "Stripe dice que quedan {left} de este pago. No se reembolsó nada.";
    OtherRefundPending
        "A refund of {pending} is on its way. {left} can still be given back."
        "Un reembolso de {pending} está en camino. Todavía se pueden devolver {left}.";
    WholeRefundPending
        "A refund of {pending} is on its way."
        "Un reembolso de {pending} está en camino.";
    OtherRefundInDoubt
        "It is not known whether Stripe made a refund of {amount}. Do not give it back a second time."
        "No se sabe si Stripe hizo un reembolso de {amount}. No lo devuelva por segunda vez.";
    CheckoutAmountChanged
        "The amount has just changed. Please try again."
        "El monto acaba de cambiar. Pruebe otra vez.";
    CardPaymentsUnavailable
        "Card payments do not work at this moment. Please call us."
        "Los pagos con tarjeta no funcionan en este momento. Llámenos por favor.";
    PaymentsBeingChecked
        "We're checking payments. Try again in a few minutes."
        "Estamos revisando los pagos. Pruebe otra vez en unos minutos.";
    StripeConnectNotOffered
        "This Toolbox cannot connect Stripe accounts. Paste the keys of your account instead."
        "Este Toolbox no puede conectar cuentas de Stripe. Pegue las claves de su cuenta.";
    StripeReturnExpired
        "This way back from Stripe is no longer good. Press Continue at Stripe."
        "Este regreso desde Stripe ya no sirve. Pulse Continuar en Stripe.";
    StripeConnectionEnded
        "The connection was ended a moment ago. Please try again."
        "La conexión se terminó hace un momento. Pruebe otra vez.";
    StripeEndedConnection
        "Stripe ended the connection a moment ago. Please try again."
        "Stripe terminó la conexión hace un momento. Pruebe otra vez.";
    StripePlatformRefused
        "Stripe does not let your Toolbox connect accounts now. Ask the person who runs it."
        "Stripe no permite ahora que su Toolbox conecte cuentas. Pregunte a quien lo administra.";
    MoneyUnderWay
        "Money is still on its way at Stripe: {list}. Wait until it has arrived or the page has ended, or settle the refund, then try again."
        "Todavía hay dinero en camino en Stripe: {list}. Espere a que llegue o a que la página termine, o resuelva el reembolso, y pruebe otra vez.";
};
