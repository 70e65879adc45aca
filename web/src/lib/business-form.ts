// Forms of one business: their address names it, so they show its look. theme-boot.js has the same rule.
const FORMS = /^\/(lead|quote|quote-request)\/?$/

export function isBusinessForm({ pathname, search }: { pathname: string; search: string }): boolean {
  const asked = new URLSearchParams(search)
  return FORMS.test(pathname) && ['org', 'orgId'].some((name) => Boolean(asked.get(name)?.trim()))
}
