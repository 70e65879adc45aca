// What a review link opens, by the documented forms of the sites.

export type ReviewLinkVerdict = 'dialog' | 'profile' | 'unknown' | 'forbidden' | 'invalid'

const DIALOGS: readonly RegExp[] = [
  /^https:\/\/g\.page\/r\/[\w-]+\/review\/?$/,
  /^https:\/\/search\.google\.com\/local\/writereview\?.*placeid=/,
  /^https:\/\/(www\.)?google\.[a-z.]+\/.*(lrd=.*,3|writereview)/,
  /^https:\/\/(www\.|m\.)?facebook\.com\/.+\/reviews\/?/,
  /^https:\/\/(www\.)?trustpilot\.com\/evaluate\//,
]

const PROFILES: readonly RegExp[] = [
  /^https:\/\/g\.(page|co)\//,
  /^https:\/\/maps\.app\.goo\.gl\//,
  /^https:\/\/(www\.|maps\.)?google\.[a-z.]+\//,
  /^https:\/\/(www\.|m\.)?facebook\.com\//,
  /^https:\/\/(www\.)?(angi|nextdoor|bbb|trustpilot|homeadvisor|houzz)\.(com|org)\//,
]

export function judgeReviewLink(typed: string): ReviewLinkVerdict {
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.') || /\s/.test(typed)) return 'invalid'
  if (/(^|\.)yelp\.[a-z.]+$/.test(url.hostname)) return 'forbidden'
  const address = url.href.replace(/^http:/, 'https:')
  if (DIALOGS.some((form) => form.test(address))) return 'dialog'
  return PROFILES.some((form) => form.test(address)) ? 'profile' : 'unknown'
}
