import { capitalize } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'

export const inboxMessages = {
  title: t('Inbox'),
  listFailed: {
    title: t('The inbox could not be loaded'),
    description: t('The conversations did not arrive. Please try again.'),
  },
  conversationFailed: {
    title: t('This conversation could not be loaded'),
    description: t('It did not arrive. Please try again.'),
  },
  notFoundTitle: t('Conversation Not Found'),
  notFound: t('This customer does not exist, or belongs to another business.'),
  noMatch: t('No conversation matches your search.'),
  empty: {
    open: {
      title: t('No one is waiting'),
      text: t(
        'Texts, calls and form requests from your customers land here the moment they come in. Answers to your emails go to your own mailbox. Nothing is open right now.',
      ),
    },
    unread: { title: t("You're all caught up"), text: t('You have seen everything that came in.') },
    mine: {
      title: t('Nothing is yours'),
      text: t('Take a conversation, or have one assigned to you, and it is here.'),
    },
    snoozed: {
      title: t('Nothing is snoozed'),
      text: t('Snooze a conversation to have it come back when you need it: in an hour, or tomorrow morning.'),
    },
    closed: {
      title: t('Nothing is closed'),
      text: t('Close a conversation once it is dealt with. It opens again by itself when the customer writes.'),
    },
  },
  noNumber: {
    title: t('Texts do not come in yet'),
    text: (why: string) =>
      t(
        '{reason}. So no text and no call from a customer can land here. Set up a number, or ask the person who runs your Toolbox for one.',
        { reason: capitalize(why) },
      ),
    setUp: t('Set up a number'),
  },
  setUp: t('Set up texts and calls'),
  pick: {
    title: t('Pick a conversation'),
    text: t('Arrow keys move through the list, Enter opens, Escape comes back.'),
  },
  noItems: t('Nothing has been said yet. Write the first line below.'),
  sendFailed: { title: t('Not sent'), description: t('The message could not be handed over. Please try again.') },
  sendBroken: t('The app was closed while this was being handed over. Trying again never sends it twice.'),
  cancel: {
    success: { title: t('Stopped'), description: t('This message will not be sent.') },
    tooLate: { title: t('Too late'), description: t('It has already left.') },
    failure: { title: t('Not stopped'), description: t('Nothing was changed. Please try again.') },
  },
  retry: {
    heldTitle: t('Not sent yet'),
    success: {
      title: t('Sending again'),
      description: t('The message is on its way. Its state changes here by itself.'),
    },
    failure: { title: t('Not sent again'), description: t('The message could not be queued. Please try again.') },
  },
  thread: {
    failure: { title: t('Not changed'), description: t('The conversation could not be changed. Please try again.') },
    snoozed: { title: t('Snoozed'), description: t('It comes back by itself, or as soon as the customer writes.') },
    closed: { title: t('Closed'), description: t('It opens again when the customer writes.') },
    blocked: { title: t('Blocked'), description: t('Automatic messages to this person are off.') },
  },
  optOut: {
    stopped: { title: t('Texts stopped'), description: t('This number no longer gets texts.') },
    lifted: { title: t('Pause lifted'), description: t('This person can be texted again.') },
    allowed: { title: t('Texts allowed again'), description: t('This person can be texted again.') },
    failure: { title: t('Not changed'), description: t('The pause was not changed. Please try again.') },
  },
  canned: {
    titleRequired: t('A title is required'),
    wordsRequired: t('The words are required'),
    added: { title: t('Saved'), description: t('The reply is in the list for everyone in your business.') },
    removed: { title: t('Removed'), description: t('The reply is gone from the list.') },
    failure: { title: t('Not saved'), description: t('The list of replies could not be changed. Please try again.') },
    listFailed: {
      title: t('The replies could not be loaded'),
      description: t('The list did not arrive. Please try again.'),
    },
  },
  teamFailed: {
    title: t('The team could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  whyFailed: { title: t('The reasons could not be loaded'), description: t('They did not arrive. Please try again.') },
  offline: t('You are offline. What you send waits here and goes out when you are back online.'),
  offlineDemo: t('You are offline. The demonstration needs a connection.'),
  byHand: {
    hint: t(
      'Write the text here: it opens in the text app of your own phone, filled in, and is kept in this conversation as sent by you.',
    ),
    title: t('Text from your phone'),
    why: (phone: string) =>
      t('This text could not leave from here. It opens in the text app of your own phone, filled in, to {phone}.', {
        phone,
      }),
    success: { title: t('Noted'), description: t('The text is in the conversation as sent from your own phone.') },
  },
} as const
