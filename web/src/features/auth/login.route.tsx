// The login page. Who signs in is led on by the router, to the page asked for.
import { Link } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { ExternalButton } from '@/ui/button'
import { AuthCard } from './auth-card'
import { LoginForm } from './login-form'

export function Component() {
  useDocumentTitle('Sign in')
  return (
    <AuthCard
      title="Welcome back"
      lead="Sign in to see who asked for work and what they were told."
      footer={<>New here? <Link to={paths.register} className="text-link inline-flex min-h-11 items-center">Create account</Link></>}
    >
      <div className="grid gap-3">
        <LoginForm />
        <Link to={paths.forgotten} className="text-link inline-flex min-h-11 items-center justify-self-center">Forgot your password?</Link>
        <ExternalButton href={paths.demo} variant="secondary" wide>View Demo Dashboard</ExternalButton>
      </div>
    </AuthCard>
  )
}
