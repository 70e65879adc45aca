// "This was not me", by a press so that link scanners reject nothing. Token in the URL fragment, removed once read.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ApiError, api, unwrap } from '@/api/client'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import { AuthCard } from './auth-card'
import { confirmationBusinessQuery } from './confirmation-query'

const texts = {
  title: t('Someone used your email address'),
  lead: (business: string | undefined) =>
    business === undefined
      ? t('Someone registered a business with it. If that was not you, remove it here.')
      : t('Someone registered {business} with it. If that was not you, remove it here.', { business }),
  effect: t('The business and everything in it is removed right away. This cannot be undone.'),
  press: t('This was not me. Remove it'),
  failure: { title: t('Not removed'), description: t('It did not work. Please try again.') },
  done: t('It is removed'),
  doneNext: t('Nothing was sent to anyone else in its name. You can close this page.'),
  gone: t('This link is no longer valid'),
  goneWhy: t(
    'It was used, or is older than three days. Until the address is confirmed, nothing is sent in the name of the business.',
  ),
} as const

function useRejectEmail(token: string) {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/proof/disown', { body: { token } })),
    meta: { failure: false },
  })
}

export function Component() {
  useDocumentTitle(texts.title)
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const [token] = useState(() => hash.slice(1))
  const disown = useRejectEmail(token)
  const link = useQuery(confirmationBusinessQuery(token))
  useEffect(() => {
    if (hash !== '') void navigate(pathname, { replace: true })
  }, [hash, navigate, pathname])
  const isGone =
    token === '' || [disown.error, link.error].some((error) => error instanceof ApiError && error.status === 404)
  if (isGone && !disown.isSuccess) {
    return (
      <EmptyState headingLevel={1} icon="mail" title={texts.gone}>
        <p>{texts.goneWhy}</p>
      </EmptyState>
    )
  }
  if (disown.isSuccess) {
    return (
      <EmptyState headingLevel={1} icon="check-circle" title={texts.done}>
        <p>{texts.doneNext}</p>
      </EmptyState>
    )
  }
  return (
    <AuthCard title={texts.title} lead={texts.lead(link.data?.business)} footer={null}>
      <div className="grid gap-4">
        <p>{texts.effect}</p>
        {disown.isError && <Notice tone="error" title={describeError(disown.error, texts.failure).description} />}
        <Button
          wide
          variant="danger"
          pending={disown.isPending}
          pendingText={t('Removing...')}
          onClick={() => disown.mutate()}
        >
          {texts.press}
        </Button>
      </div>
    </AuthCard>
  )
}
