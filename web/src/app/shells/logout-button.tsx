// The way out.
import { useLogout } from '@/session/mutations'
import { Button } from '@/ui/button'

export function LogoutButton() {
  const logout = useLogout()
  // A success reloads the page: until then the button stays as it is while pending.
  const isPending = logout.isPending || logout.isSuccess
  return (
    <Button variant="ghost" icon="logout" wide className="justify-start" pending={isPending} pendingText="Logging out..." onClick={() => logout.mutate()}>
      Logout
    </Button>
  )
}
