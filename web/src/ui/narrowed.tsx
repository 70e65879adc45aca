// What a list is narrowed to, as a chip that one tap takes away, and what is left of the list by it.
import { Button } from './button'

type NarrowedProps = { words: string; found?: string | undefined; onClear: () => void }

export function Narrowed({ words, found, onClear }: NarrowedProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button variant="secondary" icon="close" onClick={onClear}>
        <span className="sr-only">Remove:</span> {words}
      </Button>
      <p role="status" className="font-semibold tabular-nums">
        {found}
      </p>
    </div>
  )
}
