import { render } from "preact";
import "../style/studio.css";
import "../style/timeline.css";
import "../style/retarget.css";
import "../style/design.css";
import { listenToKeys } from "./actions";
import { offer } from "./api";
import { connect } from "./connection";
import { listenToDrops } from "./room/opening";
import { Room } from "./room/room";
import { readOnly } from "./recording";
import { doc } from "./store";

if (location.protocol !== "file:" && location.search !== "") {
  history.replaceState(null, "", "/"); // the token is a cookie now: out of the address bar
}
offer();
listenToKeys();
if (!readOnly) listenToDrops();
addEventListener("beforeunload", (event) => {
  if (doc.value?.unsaved) event.preventDefault(); // the browser asks
});
render(<Room />, document.body);
connect();
