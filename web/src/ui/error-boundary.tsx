// The last net: a screen that breaks says so and offers to load again; the rest of the app goes on.
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { isChunkLoadError } from '@/lib/chunk-load-error'
import { t } from '@/lib/i18n'
import { reloadOnceForNewVersion } from '@/lib/stale-chunk'
import { Button } from './button'
import { EmptyState } from './empty-state'

type Props = {
  children: ReactNode
  /** Name of the screen within a shell: errors are caught per screen, and the next screen starts without them. */
  screen?: string
  /** It is a part of a screen that has its own heading. */ isPart?: boolean
}
type State = { error: Error | null; screen: string | undefined }

/** Into the new version, where one waits. */
function reloadApp(): void {
  if (!reloadOnceForNewVersion()) globalThis.location.reload()
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, screen: this.props.screen }

  static getDerivedStateFromError(error: unknown): Pick<State, 'error'> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps({ screen }: Props, state: State): State | null {
    return screen === state.screen ? null : { error: null, screen }
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    // A failed lazy part must not discard the input beside it: a person reloads.
    if (isChunkLoadError(error) && !this.props.isPart && reloadOnceForNewVersion()) return
    // The browser's own log is where a crash is looked for; nothing of the customer's is in it.
    globalThis.reportError?.(
      new Error(`Screen crashed: ${error.message}${info.componentStack ?? ''}`, { cause: error }),
    )
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children
    const isOffline = isChunkLoadError(this.state.error)
    const Place = this.props.screen === undefined ? 'main' : 'div'
    return (
      <Place>
        <EmptyState
          headingLevel={this.props.isPart ? 2 : 1}
          icon="alert"
          title={isOffline ? t('This page could not be loaded') : t('Something went wrong')}
          action={
            <Button icon="refresh" onClick={reloadApp}>
              {t('Load again')}
            </Button>
          }
        >
          <p>
            {isOffline
              ? t('The connection broke off while loading it. Check your network, then load again.')
              : t('The page stumbled over a fault of ours. Loading it again usually helps.')}
          </p>
        </EmptyState>
      </Place>
    )
  }
}
