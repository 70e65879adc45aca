import { t } from '@/lib/i18n'

export const priceBookMessages = {
  added: { title: t('Item added'), description: t('It can be put on estimates and invoices now.') },
  saved: { title: t('Item saved'), description: t('New lines have it so. Papers that are out stay as they are.') },
  failed: {
    title: t('Item not saved'),
    description: t('The price book was not changed. What you typed is still here.'),
  },
  setAside: t('Item set aside'),
  broughtBack: { title: t('Item offered again'), description: t('It can be put on estimates and invoices.') },
  changeFailed: { title: t('Not changed'), description: t('The price book was not changed. Please try again.') },
  name: t('Say what it is'),
  price: t('Please enter a price'),
  cost: t('Please enter a cost, or leave it empty'),
  tax: t('Enter a percentage, like 8.25, or leave it empty'),
  tooLarge: t('This file is larger than 2 MB. Please send it in parts.'),
  readFailed: { title: t('File not read'), description: t('The server did not take it. Please try again.') },
  importFailed: { title: t('Nothing imported'), description: t('The price book was not changed. Please try again.') },
  offline: t('You are offline. The price book is changed with a connection.'),
} as const
