// The timeline strip.
import type { Panel } from "../room/panel";

function Body() {
  return <p class="empty">A pose has no time. What is shown here is the time of a clip.</p>;
}

export const timeline: Panel = { title: "Timeline", body: Body };
