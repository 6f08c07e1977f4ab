import Logging

/// A workspace: objects, their unsaved changes, and the methods to fetch and save.
///
/// A context belongs to one thread or actor: `container.viewContext` to the main actor, the context of
/// ``PersistentContainer/perform(author:file:line:_:)`` to its closure. It has one instance for each object. It holds
/// changed objects, and forgets unchanged objects when the program does not hold them.
///
/// Other contexts, other processes and sync may change the same store. The documentation calls such changes "made
/// elsewhere".
public final class ManagedObjectContext {
    /// The coordinator below this context and its parents.
    public let coordinator: PersistentStoreCoordinator
    /// The context that this one reads from and saves into; nil when it works on the store.
    public let parent: ManagedObjectContext?
    /// The layer that the context reads from and saves into: the coordinator or the parent.
    let source: any RowSource
    /// The author of the changes, for history.
    public var transactionAuthor: String?
    /// The context's name, for history.
    public var name: String?
    /// The rule for a save when a row changed in the store since it was read.
    public var mergePolicy = MergePolicy.error
    /// Merge policies for the objects of single entities, by the entity's name.
    public var entityMergePolicies: [String: MergePolicy] = [:]
    /// Whether changes made elsewhere, or in a parent context, are merged by themselves before each read. If not, they
    /// wait for ``mergeChangesFromParent()``.
    public var automaticallyMergesChangesFromParent = true

    /// The objects in memory. The map does not hold them: objects hold the context, and remove themselves at their end.
    let identityMap = IdentityMap()
    /// The unsaved changes. They hold the changed objects.
    let unsaved = ChangeSet()
    /// The changes that observers have not been told of.
    let notifier = ChangeNotifier()

    /// The state of the store that reads see; nil for the present. See ``setQueryGeneration(from:)``.
    var generation: Generation?
    /// Records changes so that they can be undone. Nil, the initial value, records none.
    public var undoManager: ContextUndoManager? {
        didSet {
            oldValue?.complete = {}
            undoManager?.complete = { [weak self] in self?.writeOrders() }
        }
    }
    /// The objects that the last fetch loaded along relationships. They are held so that their collections stay loaded.
    var prefetched: [ManagedObject] = []
    /// The new objects of the last ``merge(_:)``, held until observers are told of them.
    var arrivals: [ManagedObject] = []
    /// The object whose hook is running: its values were just read, or released.
    var hooked: ManagedObject?
    /// The object that a save is validating by its own rules, after the rules of the model.
    var judged: ManagedObject?

    /// Changes made elsewhere wait here. It is checked before each read.
    let mailbox: ChangeMailbox
    private(set) var isClosed = false
    /// The place at which the context's work began; nil if the work does not end by itself.
    let origin: ContextOrigin?
    /// Whether a save or a batch request of this context has written to the store. If so, its work cannot simply be
    /// repeated.
    var hasWritten = false
    /// The log for errors that no caller can catch.
    let logger: Logger
    /// The error of a property access, kept until a request throws it.
    var deferredError: DeferredError?
    /// Whether the last save threw. Its changes are still unsaved, and the program knows.
    var didSaveFail = false

    init(
        coordinator: PersistentStoreCoordinator, mailbox: ChangeMailbox = ChangeMailbox(),
        logger: Logger = ManagedObjectContext.usualLogger, origin: ContextOrigin? = nil
    ) {
        self.origin = origin
        self.coordinator = coordinator
        self.logger = logger
        self.mailbox = mailbox
        parent = nil
        source = coordinator.sourceOfContexts
    }

    /// Creates a child of `parent`, for the same thread or actor. The child is a scratch pad: its save puts its changes
    /// into the parent, and the parent's own save writes them. Unsaved changes end with the child.
    ///
    /// ```swift
    /// let draft = ManagedObjectContext(parent: container.viewContext)
    /// let note = try draft.existingObject(with: id) as? Note
    /// … // edit; then either
    /// try draft.save()   // into the view context
    /// ```
    public init(parent: ManagedObjectContext) {
        coordinator = parent.coordinator
        logger = parent.logger
        origin = parent.origin
        mailbox = ChangeMailbox()
        self.parent = parent
        source = ParentSource(parent: parent)
        parent.notifier.addChild(self)
    }

    deinit { parent?.notifier.removeChild(ObjectIdentifier(self)) }

    /// Creates a context on `coordinator`, for the caller's thread or actor.
    public convenience init(coordinator: PersistentStoreCoordinator) {
        let mailbox = ChangeMailbox()
        self.init(coordinator: coordinator, mailbox: mailbox)
        coordinator.addListener(mailbox)
    }

    /// The model of the coordinator.
    public var model: ResolvedModel { coordinator.model }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}

// The end of the context's work.
extension ManagedObjectContext {
    /// Ends the context. Its objects stay readable as far as they are loaded.
    func close() {
        tellUnseenError()
        unsaved.forgetObjects()
        unsaved.forgetLinks()
        (prefetched, arrivals) = ([], [])
        notifier.close()
        isClosed = true
        identityMap.removeAll()
    }
}
