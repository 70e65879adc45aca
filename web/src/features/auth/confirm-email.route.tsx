// Where the mail that proves an address leads. Opening it proves nothing: only the press does, so that what merely follows
// links in mails cannot. The token stands behind the #, and leaves the address bar as soon as it was read.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ApiError, api, unwrap } from '@/api/client'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import { AuthCard } from './auth-card'

const texts = {
  title: 'Confirm your email address',
  lead: 'For the business that the mail names. If you did not register it, close this page and use “This was not me” in the mail.',
  effect: 'Every other device is signed out. Keys for other programs, open invitations and two-step sign-in that were set up before are removed. If you are not signed in here, you choose a new password.',
  press: 'Confirm my address',
  failure: { title: 'Not confirmed', description: 'It did not work. Please try again.' },
  done: 'Your email address is confirmed',
  doneNext: 'Your business can write to others now, as Settings, Billing says.',
  chooseNext: 'You are not signed in here, so the password that was set with this address has ended. Choose your own.',
  gone: 'This link is not valid any more',
  goneWhy: 'It was used, or is older than three days. Sign in and ask for a new one.',
} as const

/** Proves an email address with the mail's token. The page says what is wrong with it. */
function useConfirmEmail(token: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/proof', { body: { token } })),
    meta: { failure: false },
    // The person signed in here may be signed out by it, or be one step further.
    onSuccess: () => queryClient.invalidateQueries(),
  })
}

export function Component() {
  useDocumentTitle(texts.title)
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const [token] = useState(() => hash.slice(1))
  const confirm = useConfirmEmail(token)
  useEffect(() => {
    if (hash !== '') void navigate(pathname, { replace: true })
  }, [hash, navigate, pathname])
  const isGone = token === '' || (confirm.error instanceof ApiError && confirm.error.status === 404)
  if (isGone) {
    return (
      <EmptyState headingLevel={1} icon="mail" title={texts.gone} action={<LinkButton to={paths.app}>Go to Toolbox</LinkButton>}>
        <p>{texts.goneWhy}</p>
      </EmptyState>
    )
  }
  if (confirm.data?.resetToken) {
    return (
      <EmptyState headingLevel={1} icon="check-circle" title={texts.done} action={<LinkButton to={`/reset-password#${confirm.data.resetToken}`}>Choose a password</LinkButton>}>
        <p>{texts.chooseNext}</p>
      </EmptyState>
    )
  }
  if (confirm.isSuccess) {
    return (
      <EmptyState headingLevel={1} icon="check-circle" title={texts.done} action={<LinkButton to={paths.app}>Go to Toolbox</LinkButton>}>
        <p>{texts.doneNext}</p>
      </EmptyState>
    )
  }
  return (
    <AuthCard title={texts.title} lead={texts.lead} footer={null}>
      <div className="grid gap-4">
        <p>{texts.effect}</p>
        {confirm.isError && <Notice tone="error" title={describeError(confirm.error, texts.failure).description} />}
        <Button wide icon="check-circle" pending={confirm.isPending} pendingText="Confirming..." onClick={() => confirm.mutate()}>{texts.press}</Button>
      </div>
    </AuthCard>
  )
}
