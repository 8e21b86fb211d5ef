"""The commands, a file per subject. `COMMANDS` lists them: add a new one here, and nowhere else."""

from __future__ import annotations

from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import DeleteKey, EaseKey, MoveKey, OpenClip, SetKey, SetKeys
from posewright.studio.session.commands.contacts import CutContact, DeleteContact, FindContacts, SetContact
from posewright.studio.session.commands.designing import SetDesign, SetDonor, UsePostures
from posewright.studio.session.commands.goals import AddGoal, DeleteGoal, MoveGoals, PinGoal, SetGoal
from posewright.studio.session.commands.modelling import SetEditing, TakeModel
from posewright.studio.session.commands.opening import OpenFile
from posewright.studio.session.commands.pose_library import ApplyPose, ForgetPose, SavePose
from posewright.studio.session.commands.poses import MirrorPose, SetDofs, SetPose, Solve
from posewright.studio.session.commands.retargeting import (
    AcceptRetarget,
    ClearPart,
    FindMatch,
    PairJoints,
    SetPart,
    SetRetargeting,
    SetRetargetOptions,
)
from posewright.studio.session.commands.settings import SetRelation, SetRigidity, SetSolver
from posewright.studio.session.commands.sites import MirrorGoal, NewGoal, PickPoint, RenameSite
from posewright.studio.session.commands.spans import (
    AddKnot,
    AddPath,
    DeleteKnot,
    DeleteSpan,
    Hold,
    MoveSpan,
    SetKnot,
    SetSpan,
    TurnSpan,
)
from posewright.studio.session.commands.together import Together

COMMANDS: tuple[type[Command], ...] = (
    PickPoint,
    NewGoal,
    RenameSite,
    MirrorGoal,
    AddGoal,
    MoveGoals,
    SetGoal,
    PinGoal,
    DeleteGoal,
    SetPose,
    MirrorPose,
    SetDofs,
    Solve,
    SetRigidity,
    SetRelation,
    SetSolver,
    OpenClip,
    OpenFile,
    SetKey,
    SetKeys,
    MoveKey,
    EaseKey,
    DeleteKey,
    AddPath,
    Hold,
    SetSpan,
    MoveSpan,
    DeleteSpan,
    TurnSpan,
    SetKnot,
    AddKnot,
    DeleteKnot,
    SetContact,
    CutContact,
    DeleteContact,
    FindContacts,
    TakeModel,
    SetEditing,
    SetRetargeting,
    PairJoints,
    SetPart,
    ClearPart,
    FindMatch,
    SetRetargetOptions,
    AcceptRetarget,
    UsePostures,
    SetDonor,
    SetDesign,
    SavePose,
    ApplyPose,
    ForgetPose,
    Together,
)
