// Badge of the app icon, where supported.

/** Zero clears it. */
export async function setBadgeCount(count: number): Promise<void> {
  try {
    await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())
  } catch (error) {
    // Not installed, or notifications forbidden.
    if (!(error instanceof DOMException)) throw error
  }
}
