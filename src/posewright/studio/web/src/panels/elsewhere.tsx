// A workflow that is not in the page yet: where to find it.
import type { Panel } from "../room/panel";

export function elsewhere(title: string, command: string): Panel {
  return {
    title,
    body: () => (
      <>
        <p class="empty">Not in the page yet. On the command line:</p>
        <p>
          <code>{command}</code>
        </p>
      </>
    ),
  };
}
