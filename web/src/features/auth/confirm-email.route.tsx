// Email confirmation, by a press so that link scanners confirm nothing. Token in the URL fragment, removed once read.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ApiError, api, unwrap } from '@/api/client'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import { AuthCard } from './auth-card'
import { confirmationBusinessQuery } from './confirmation-query'

const texts = {
  title: t('Confirm your email address'),
  lead: (business: string | undefined) =>
    business === undefined
      ? t(
          'For the business named in the email. If you did not register it, close this page and use “This was not me” in the email.',
        )
      : t('For {business}. If you did not register it, close this page and use “This was not me” in the email.', {
          business,
        }),
  effect: t(
    'This ends everything that was set up with your address before: every other device is signed out; keys for other programs, open invitations, two-step sign-in and passkeys are removed. If you are not signed in here, the password ends too, and you choose a new one. If no one had confirmed an address of the business before, its other accounts are turned off, and its crew calendar links stop working.',
  ),
  press: t('Confirm my address'),
  failure: { title: t('Not confirmed'), description: t('It did not work. Please try again.') },
  done: t('Your email address is confirmed'),
  doneNext: t('Your business can write to its customers now. See how much under Settings, Plan and billing.'),
  chooseNext: t(
    'You are not signed in here, so the password that was set with this address has ended. Choose your own.',
  ),
  gone: t('This link is no longer valid'),
  goneWhy: t('It was used, or is older than three days. Sign in and ask for a new one.'),
} as const

/** Proves an email address with the mail's token. Errors are shown on the page. */
function useConfirmEmail(token: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/proof', { body: { token } })),
    meta: { failure: false },
    // The person signed in here may be signed out by it, or be one step further.
    onSuccess: () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'address-proof' }),
  })
}

export function Component() {
  useDocumentTitle(texts.title)
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const [token] = useState(() => hash.slice(1))
  const confirm = useConfirmEmail(token)
  const link = useQuery(confirmationBusinessQuery(token))
  useEffect(() => {
    if (hash !== '') void navigate(pathname, { replace: true })
  }, [hash, navigate, pathname])
  const isGone =
    token === '' || [confirm.error, link.error].some((error) => error instanceof ApiError && error.status === 404)
  if (isGone) {
    return (
      <EmptyState
        headingLevel={1}
        icon="mail"
        title={texts.gone}
        action={<LinkButton to={paths.app}>{t('Go to Toolbox')}</LinkButton>}
      >
        <p>{texts.goneWhy}</p>
      </EmptyState>
    )
  }
  if (confirm.data?.resetToken) {
    return (
      <EmptyState
        headingLevel={1}
        icon="check-circle"
        title={texts.done}
        action={<LinkButton to={`/reset-password#${confirm.data.resetToken}`}>{t('Choose a password')}</LinkButton>}
      >
        <p>{texts.chooseNext}</p>
      </EmptyState>
    )
  }
  if (confirm.isSuccess) {
    return (
      <EmptyState
        headingLevel={1}
        icon="check-circle"
        title={texts.done}
        action={<LinkButton to={paths.app}>{t('Go to Toolbox')}</LinkButton>}
      >
        <p>{confirm.data.closed ?? texts.doneNext}</p>
      </EmptyState>
    )
  }
  return (
    <AuthCard title={texts.title} lead={texts.lead(link.data?.business)} footer={null}>
      <div className="grid gap-4">
        <p>{texts.effect}</p>
        {confirm.isError && <Notice tone="error" title={describeError(confirm.error, texts.failure).description} />}
        <Button
          wide
          icon="check-circle"
          pending={confirm.isPending}
          pendingText={t('Confirming...')}
          onClick={() => confirm.mutate()}
        >
          {texts.press}
        </Button>
      </div>
    </AuthCard>
  )
}
