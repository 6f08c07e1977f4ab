/// Remembers what was done in a context, step by step, so that it can be taken back and done again.
///
/// ```swift
/// context.undoManager = ContextUndoManager()
/// note.title = "Buy thread"
/// context.processPendingChanges()      // the view context does it at the end of each turn of the main actor
/// context.undo()                       // the title is as before
/// context.redo()
/// ```
/// A step is what happens between two calls of ``ManagedObjectContext/processPendingChanges()``, or between
/// ``beginGrouping()`` and ``endGrouping()``. A deletion is one step with all that its delete rules change: where there
/// is an undo manager, ``ManagedObjectContext/processPendingChanges()`` carries them out, without one the save does.
/// Steps outlive a save: undone afterwards they become unsaved changes.
/// Changes that others make in the store are no steps; an object that they delete stays deleted.
///
/// It belongs to one context and its thread or actor, and holds the objects of its steps.
public final class ContextUndoManager {
    /// How many steps are kept at most; the oldest go first. Zero means all.
    public var levelsOfUndo: Int {
        didSet { trim() }
    }

    private var undoSteps: [[UndoAction]] = []
    private var redoSteps: [[UndoAction]] = []
    private var open: [UndoAction] = []
    private var depth = 0
    private var pauses = 0
    private var phase = Phase.doing
    /// Called where the actions up to here are to be complete: some changes of the context are put off.
    var complete: () -> Void = {}

    /// The origin of the actions that are being recorded: the program, an undo, or a redo.
    private enum Phase { case doing, undoing, redoing }

    /// An undo manager that keeps `levelsOfUndo` steps; zero means all.
    public init(levelsOfUndo: Int = 0) { self.levelsOfUndo = levelsOfUndo }

    /// Whether there is a step to take back.
    public var canUndo: Bool { !undoSteps.isEmpty || !open.isEmpty }

    /// Whether there is a step to do again: one was taken back, and nothing new was done since.
    public var canRedo: Bool { !redoSteps.isEmpty && open.isEmpty }

    /// Whether changes are recorded.
    public var isRecording: Bool { pauses == 0 }

    /// Makes one step of everything up to the matching ``endGrouping()``. Calls nest; the outermost counts.
    public func beginGrouping() {
        if depth == 0 { closeStep() }
        depth += 1
    }

    /// Ends the step that ``beginGrouping()`` began; without one it does nothing.
    public func endGrouping() {
        guard depth > 0 else { return }
        depth -= 1
        closeStep()
    }

    /// Runs `body` without recording its changes: a step taken back across them sets each property to what it was then.
    public func withoutRecording<Result>(_ body: () throws -> Result) rethrows -> Result {
        complete()
        pauses += 1
        defer {
            complete()
            pauses -= 1
        }
        return try body()
    }

    /// Forgets all steps.
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

    /// Hands the newest step's actions to `apply`, newest first, and records what that and then `settle` do for
    /// ``canRedo``.
    func undo(_ apply: (UndoAction) throws -> Void, settle: () -> Void) rethrows {
        depth = 0
        closeStep()
        guard let step = undoSteps.popLast() else { return }
        try replay(step, .undoing, apply, settle)
    }

    /// Likewise with the step that was undone last.
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
