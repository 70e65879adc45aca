// No page at this address of the app.
import { paths } from '@/lib/paths'
import { LinkButton } from '@/ui/button'
import { NotFound } from './not-found'

export function Component() {
  return <NotFound action={<LinkButton to={paths.leads} icon="arrow-left">Back to leads</LinkButton>} />
}
