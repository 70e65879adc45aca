// No page at this address, for who is not signed in: the public site is one tap away, and so is the way in.
import { paths } from '@/lib/paths'
import { ExternalButton, LinkButton } from '@/ui/button'
import { NotFound } from './not-found'
import { PublicShell } from './shells/public-shell'

export function Component() {
  const ways = (
    <div className="flex flex-wrap justify-center gap-3">
      <ExternalButton href={paths.home} icon="arrow-left">Back to Home</ExternalButton>
      <LinkButton to={paths.login()} variant="secondary">Login</LinkButton>
    </div>
  )
  return <PublicShell><NotFound action={ways} /></PublicShell>
}
