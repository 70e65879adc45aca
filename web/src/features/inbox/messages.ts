import { capitalize } from '@/lib/format/identifier'

export const inboxMessages = {
  title: 'Inbox',
  listFailed: {
    title: 'The inbox could not be loaded',
    description: 'The conversations did not arrive. Please try again.',
  },
  conversationFailed: {
    title: 'This conversation could not be loaded',
    description: 'It did not arrive. Please try again.',
  },
  notFoundTitle: 'Conversation Not Found',
  notFound: 'This customer does not exist, or belongs to another business.',
  noMatch: 'No conversation matches your search.',
  empty: {
    open: {
      title: 'No one is waiting',
      text: 'Texts, calls and form requests from your customers land here the moment they come in. Answers to your emails go to your own mailbox. Nothing is open right now.',
    },
    unread: { title: "You're all caught up", text: 'You have seen everything that came in.' },
    mine: { title: 'Nothing is yours', text: 'Take a conversation, or have one assigned to you, and it is here.' },
    snoozed: {
      title: 'Nothing is snoozed',
      text: 'Snooze a conversation to have it come back when you need it: in an hour, or tomorrow morning.',
    },
    closed: {
      title: 'Nothing is closed',
      text: 'Close a conversation once it is dealt with. It opens again by itself when the customer writes.',
    },
  },
  noNumber: {
    title: 'Texts do not come in yet',
    text: (why: string) =>
      `${capitalize(why)}. So no text and no call from a customer can land here. Set up a number, or ask the person who runs your Toolbox for one.`,
    setUp: 'Set up a number',
  },
  setUp: 'Set up texts and calls',
  pick: { title: 'Pick a conversation', text: 'Arrow keys move through the list, Enter opens, Escape comes back.' },
  noItems: 'Nothing has been said yet. Write the first line below.',
  sendFailed: { title: 'Not sent', description: 'The message could not be handed over. Please try again.' },
  sendBroken: 'The app was closed while this was being handed over. Trying again never sends it twice.',
  cancel: {
    success: { title: 'Stopped', description: 'This message will not be sent.' },
    failure: { title: 'Too late', description: 'It has already left.' },
  },
  retry: {
    heldTitle: 'Not sent yet',
    success: { title: 'Sending again', description: 'The message is on its way. Its state changes here by itself.' },
    failure: { title: 'Not sent again', description: 'The message could not be queued. Please try again.' },
  },
  thread: {
    failure: { title: 'Not changed', description: 'The conversation could not be changed. Please try again.' },
    snoozed: { title: 'Snoozed', description: 'It comes back by itself, or as soon as the customer writes.' },
    closed: { title: 'Closed', description: 'It opens again when the customer writes.' },
    blocked: { title: 'Blocked', description: 'Automatic messages to this person are off.' },
  },
  optOut: {
    stopped: { title: 'Texts stopped', description: 'This number no longer gets texts.' },
    lifted: { title: 'Pause lifted', description: 'This person can be texted again.' },
    allowed: { title: 'Texts allowed again', description: 'This person can be texted again.' },
    failure: { title: 'Not changed', description: 'The pause was not changed. Please try again.' },
  },
  canned: {
    titleRequired: 'A title is required',
    wordsRequired: 'The words are required',
    added: { title: 'Saved', description: 'The reply is in the list for everyone in your business.' },
    removed: { title: 'Removed', description: 'The reply is gone from the list.' },
    failure: { title: 'Not saved', description: 'The list of replies could not be changed. Please try again.' },
    listFailed: { title: 'The replies could not be loaded', description: 'The list did not arrive. Please try again.' },
  },
  teamFailed: { title: 'The team could not be loaded', description: 'The list did not arrive. Please try again.' },
  whyFailed: { title: 'The reasons could not be loaded', description: 'They did not arrive. Please try again.' },
  offline: 'You are offline. What you send waits here and goes out when you are back online.',
  offlineDemo: 'You are offline. The demonstration needs a connection.',
  byHand: {
    hint: 'Write the text here: it opens in the text app of your own phone, filled in, and is kept in this conversation as sent by you.',
    title: 'Text from your phone',
    why: (phone: string) =>
      `This text could not leave from here. It opens in the text app of your own phone, filled in, to ${phone}.`,
    success: { title: 'Noted', description: 'The text is in the conversation as sent from your own phone.' },
  },
} as const
