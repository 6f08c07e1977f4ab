import Logging

/// A workspace: objects, the changes made to them, and the way to fetch and save.
///
/// A context belongs to one thread or actor: `container.viewContext` to the main actor, the context that
/// ``PersistentContainer/perform(author:file:line:_:)`` gives to its closure. It has one instance for each object,
/// holds changed objects, and forgets unchanged ones when nobody else holds them.
public final class ManagedObjectContext {
    /// The coordinator at the bottom.
    public let coordinator: PersistentStoreCoordinator
    /// The context that this one reads from and saves into; nil when it works on the store.
    public let parent: ManagedObjectContext?
    /// The source that the context reads from and saves into: the coordinator or the parent.
    let source: any RowSource
    /// The author of the changes, for history.
    public var transactionAuthor: String?
    /// The context's name, for history.
    public var name: String?
    /// The policy by which a save settles a row that changed in the store since it was read.
    public var mergePolicy = MergePolicy.error
    /// The same for the objects of single entities, by the entity's name.
    public var entityMergePolicies: [String: MergePolicy] = [:]
    /// Whether what others save, and what a parent context changes, is taken in by itself before each read. Without it,
    /// it waits for ``mergeChangesFromParent()``.
    public var automaticallyMergesChangesFromParent = true

    /// The objects in memory, not held: objects hold the context, and take themselves out when they go.
    let identityMap = IdentityMap()
    /// The changes that are not saved; it holds the objects that have some.
    let unsaved = ChangeSet()
    /// The changes that observers have not been told of.
    let notifier = ChangeNotifier()

    /// The state of the store that reads see; nil for the present. See ``setQueryGeneration(from:)``.
    var generation: Generation?
    /// Remembers changes so that they can be taken back; nil, as it is at first, to remember none.
    public var undoManager: ContextUndoManager? {
        didSet {
            oldValue?.complete = {}
            undoManager?.complete = { [weak self] in self?.writeOrders() }
        }
    }
    /// The objects that the last fetch loaded along relationships, held so that their collections stay loaded.
    var prefetched: [ManagedObject] = []
    /// The objects that came by the last ``merge(_:)``, held until observers are told of them.
    var arrivals: [ManagedObject] = []
    /// The object that is being told that it was read, or that its values were let go of.
    var hooked: ManagedObject?
    /// The object that a save is judging by its own rules, having judged it by the model's.
    var judged: ManagedObject?

    /// Where changes by others wait; looked at before each read.
    let mailbox: ChangeMailbox
    private(set) var isClosed = false
    /// Where the context's work began; nil for one whose work does not end by itself.
    let origin: ContextOrigin?
    /// Whether a save or a batch request of this context has written to the store, so that its work cannot simply be
    /// done again.
    var hasWritten = false
    /// Takes what nobody is there to catch.
    let logger: Logger
    /// The error that a property could not throw, until a request throws it.
    var deferredError: DeferredError?
    /// Whether the last save threw: its changes are still there, and the program knows.
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

    /// A child of `parent`, for the same thread or actor: a scratch pad whose save puts its changes into the parent,
    /// which saves them in its turn; what is not saved is gone with it.
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

    /// A context on `coordinator`, for the caller's thread or actor.
    public convenience init(coordinator: PersistentStoreCoordinator) {
        let mailbox = ChangeMailbox()
        self.init(coordinator: coordinator, mailbox: mailbox)
        coordinator.addListener(mailbox)
    }

    /// The model.
    public var model: ResolvedModel { coordinator.model }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}

// The end of its work.
extension ManagedObjectContext {
    /// Ends the context: its objects stay readable as far as they are loaded.
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
