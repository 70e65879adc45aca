// Login page; the router redirects afterwards. Also shows visitors the not-found message.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { requiresSignIn, paths } from '@/lib/paths'
import { ExternalButton } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { readRegistration } from './after-registration'
import { AuthCard } from './auth-card'
import { LoginForm } from './login-form'
import { authMessages } from './messages'
import { registrationQuery } from './mutations'

export function Component() {
  useDocumentTitle(t('Sign in'))
  const [search] = useSearchParams()
  const registered = readRegistration(useLocation().state)
  const texts = authMessages.login
  const nextParam = search.get('next')
  const { data: registration } = useQuery(registrationQuery())
  // Shown until the server says that there is none.
  const hasDemo = registration?.hasDemo !== false
  return (
    <AuthCard
      title={registered === undefined ? texts.title : texts.titleRegistered(registered.firstName)}
      lead={registered === undefined ? texts.lead : texts.leadRegistered}
      footer={
        <>
          {t('New here?')}{' '}
          <Link to={paths.register} className="text-link inline-flex min-h-11 items-center">
            {t('Create account')}
          </Link>
        </>
      }
    >
      <div className="grid gap-3">
        {nextParam !== null && !requiresSignIn(nextParam) && (
          <Notice tone="info" title={t('There is no page at that address')}>
            <p>
              {t('The link may be old, or mistyped. Sign in here, or go')}{' '}
              <a href={paths.home} className="text-link">
                {t('back to the home page')}
              </a>
              .
            </p>
          </Notice>
        )}
        {registered === undefined ? <LoginForm /> : <LoginForm email={registered.email} focusesPassword />}
        <Link to={paths.forgotten} className="text-link inline-flex min-h-11 items-center justify-self-center">
          {t('Forgot your password?')}
        </Link>
        {hasDemo && (
          <ExternalButton href={paths.demo} variant="secondary" wide>
            {t('View Demo Dashboard')}
          </ExternalButton>
        )}
      </div>
    </AuthCard>
  )
}
