/// Records the changes of a context, step by step, so that they can be undone and redone.
///
/// ```swift
/// context.undoManager = ContextUndoManager()
/// note.title = "Buy thread"
/// context.processPendingChanges()      // the view context does it at the end of each turn of the main actor
/// context.undo()                       // the title is as before
/// context.redo()
/// ```
/// A step contains all changes between two calls of ``ManagedObjectContext/processPendingChanges()``, or between
/// ``beginGrouping()`` and ``endGrouping()``. A deletion is one step with all effects of its delete rules. With an undo
/// manager, ``ManagedObjectContext/processPendingChanges()`` carries out these rules; without one, the save does.
///
/// Steps outlive a save: undone after it, they become unsaved changes. Changes made elsewhere in the store are no
/// steps; an object that was deleted elsewhere stays deleted.
///
/// The undo manager belongs to one context and its thread or actor, and holds the objects of its steps.
public final class ContextUndoManager {
    /// The maximum number of steps to keep; the oldest steps are dropped first. Zero means no limit.
    public var levelsOfUndo: Int {
        didSet { trim() }
    }

    private var undoSteps: [[UndoAction]] = []
    private var redoSteps: [[UndoAction]] = []
    private var open: [UndoAction] = []
    private var depth = 0
    private var pauses = 0
    private var phase = Phase.doing
    /// Called to complete the recorded actions, because the context delays some changes.
    var complete: () -> Void = {}

    /// The origin of the actions that are being recorded: the program, an undo, or a redo.
    private enum Phase { case doing, undoing, redoing }

    /// Creates an undo manager that keeps `levelsOfUndo` steps; zero means all.
    public init(levelsOfUndo: Int = 0) { self.levelsOfUndo = levelsOfUndo }

    /// Whether there is a step to undo.
    public var canUndo: Bool { !undoSteps.isEmpty || !open.isEmpty }

    /// Whether there is a step to redo: one was undone, and nothing new was done since.
    public var canRedo: Bool { !redoSteps.isEmpty && open.isEmpty }

    /// Whether changes are recorded.
    public var isRecording: Bool { pauses == 0 }

    /// Makes one step of all changes up to the matching ``endGrouping()``. Calls nest; the outermost counts.
    public func beginGrouping() {
        if depth == 0 { closeStep() }
        depth += 1
    }

    /// Ends the step that ``beginGrouping()`` began. Without a begun step it does nothing.
    public func endGrouping() {
        guard depth > 0 else { return }
        depth -= 1
        closeStep()
    }

    /// Runs `body` without recording its changes. If an earlier step is undone afterwards, each of its properties gets
    /// its value from before that step.
    public func withoutRecording<Result>(_ body: () throws -> Result) rethrows -> Result {
        complete()
        pauses += 1
        defer {
            complete()
            pauses -= 1
        }
        return try body()
    }

    /// Forgets all steps, including steps to redo.
    public func removeAllActions() {
        undoSteps = []
        redoSteps = []
        open = []
        depth = 0
    }
}

@available(*, unavailable)
extension ContextUndoManager: Sendable {}

extension ContextUndoManager {
    func record(_ action: UndoAction) {
        guard isRecording else { return }
        if phase == .doing { redoSteps = [] }
        open.append(action)
    }

    /// Ends the present step, unless a group is open.
    func closeStep() {
        guard depth == 0, !open.isEmpty else { return }
        complete()
        if phase == .undoing { redoSteps.append(open) } else { undoSteps.append(open) }
        open = []
        trim()
    }

    /// Hands the actions of the newest step to `apply`, newest first. The changes by `apply` and `settle` are recorded
    /// as a step to redo.
    func undo(_ apply: (UndoAction) throws -> Void, settle: () -> Void) rethrows {
        depth = 0
        closeStep()
        guard let step = undoSteps.popLast() else { return }
        try replay(step, .undoing, apply, settle)
    }

    /// Does the same with the step that was undone last.
    func redo(_ apply: (UndoAction) throws -> Void, settle: () -> Void) rethrows {
        guard canRedo, let step = redoSteps.popLast() else { return }
        try replay(step, .redoing, apply, settle)
    }

    private func replay(
        _ step: [UndoAction], _ phase: Phase, _ apply: (UndoAction) throws -> Void, _ settle: () -> Void
    ) rethrows {
        self.phase = phase
        defer {
            closeStep()
            self.phase = .doing
        }
        for action in step.reversed() { try apply(action) }
        settle()
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoSteps.removeFirst(max(0, undoSteps.count - levelsOfUndo))
        redoSteps.removeFirst(max(0, redoSteps.count - levelsOfUndo))
    }
}
