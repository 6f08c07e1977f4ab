import Foundation

/// The changes of a context that its observers have not been told of, and the observers.
///
/// Telling is where code of observers and of the program runs: the changes are taken out before, and what is noted
/// meanwhile belongs to the next turn. To note a change calls ``scheduleProcessing`` at most, before anything is noted.
///
/// A class, so that a context has it as a constant. Setting a property costs a step from the context to here; as a
/// struct it would be under access while observers are told, who come back to it.
final class ChangeNotifier {
    /// The changes of this turn.
    private var untold = ContextChanges(newcomers: Newcomers(turn: 1))
    /// Rises when observers are told.
    private var turn: UInt32 = 1
    /// Rises when observers or children are told, so that each object is noted once for each telling.
    private var noteTurn: UInt32 = 1
    /// The changes that the child contexts have not been told of. Kept only while there are some.
    private var news = ChildNews()
    /// Whether changes are noted property by property: for results that depend on related objects.
    private(set) var tracksProperties = false
    /// Sees to it that ``ManagedObjectContext/processPendingChanges()`` is called soon; nil where the program calls it.
    var scheduleProcessing: (() -> Void)?

    private var observers: [ObjectIdentifier: WeakObserver] = [:]
    private var children: [ObjectIdentifier: WeakContext] = [:]
    private let changeBroadcast = Broadcast<StoreChanges>()
    private let saveBroadcast = Broadcast<StoreChanges>()

    /// Whether there is something to tell.
    var hasNews: Bool { !untold.isEmpty }

    /// Whether there is something to tell to child contexts.
    var hasNewsForChildren: Bool { !news.isEmpty }

    /// The changes of the context from now on, by identity.
    var changes: AsyncStream<StoreChanges> { changeBroadcast.stream() }

    /// The saves of the context from now on, by identity.
    var saves: AsyncStream<StoreChanges> { saveBroadcast.stream() }

    /// Has an observer told of changes from now on, as long as others hold it.
    func add(_ observer: any ContextObserver) { observers[ObjectIdentifier(observer)] = WeakObserver(value: observer) }

    /// Has an observer told no more, known by its identity: one that is going away cannot be referred to.
    func remove(_ observer: ObjectIdentifier) { observers[observer] = nil }

    /// Has a child context told of changes from now on, as long as others hold it.
    func addChild(_ child: ManagedObjectContext) { children[ObjectIdentifier(child)] = WeakContext(value: child) }

    /// Has a child told no more, known by its identity: one that is going away cannot be referred to.
    func removeChild(_ child: ObjectIdentifier) {
        children[child] = nil
        if children.isEmpty { news = ChildNews() }
    }

    /// Has changes noted property by property from now on.
    func trackProperties() { tracksProperties = true }
}

// Noting changes.
extension ChangeNotifier {
    /// Notes a new object.
    func noteInsertion(of object: ManagedObject) {
        note(object, .inserted) { $0.newcomers.insert(object) }
        object.toldTurn = noteTurn
    }

    /// Notes that the property in that slot of an object was set. Called for each, so what was noted already costs a
    /// comparison.
    @inline(__always)
    func noteChange(of object: ManagedObject, at slot: Int) {
        if tracksProperties { untold.touched.own.insert(slot, of: object.entity.linkIndex) }
        guard object.toldTurn != noteTurn else { return }
        object.toldTurn = noteTurn
        note(object, .updated) { if !$0.newcomers.contains(object) { $0.updated.insert(object) } }
    }

    /// Notes that an object goes. Should it come back, its changes are noted anew.
    func noteDeletion(of object: ManagedObject) {
        object.toldTurn = 0
        note(object, .deleted) { $0.noteDeletion(of: object) }
    }

    /// Notes that an object that went is back.
    func noteReturn(of object: ManagedObject) {
        object.toldTurn = 0
        note(object, .inserted) { $0.noteReturn(of: object) }
    }

    /// Notes that an object will read other values.
    func noteRefresh(of object: ManagedObject) { note(object, .updated) { $0.noteRefresh(of: object) } }

    /// Notes that others changed objects that are not in memory.
    func noteUnregistered(_ changes: StoreChanges) {
        note { $0.unregistered.merge(changes) }
        if !children.isEmpty { news.note(changes) }
    }

    /// Notes what only child contexts can have seen of an object that is forgotten here.
    func noteForChildren(_ object: ManagedObject) {
        if !children.isEmpty { news.note(object.objectID, .updated) }
    }

    private func note(_ object: ManagedObject, _ kind: ChildNews.Kind, _ change: (inout ContextChanges) -> Void) {
        note(change)
        if !children.isEmpty { news.note(object.objectID, kind) }
    }

    private func note(_ change: (inout ContextChanges) -> Void) {
        if untold.isEmpty { scheduleProcessing?() }
        change(&untold)
    }
}

// Noting properties, once somebody depends on them. They are told along with a change of an object.
extension ChangeNotifier {
    /// Notes that the links at an end changed.
    ///
    /// - Parameter isHeld: Whether the object there is in memory.
    func noteLinks(at end: LinkEnd, isHeld: Bool) {
        if tracksProperties { untold.touched.note(end, isHeld: isHeld) }
    }

    /// Notes that the properties in these slots of an object changed.
    func noteProperties(at slots: [Int], of object: ManagedObject) {
        guard tracksProperties else { return }
        for slot in slots { untold.touched.own.insert(slot, of: object.entity.linkIndex) }
    }

    /// Notes that any property of an object may have changed.
    func noteAllProperties(of object: ManagedObject) {
        if tracksProperties { untold.touched.noteRefresh(of: object) }
    }

    /// Notes the properties that others changed.
    func noteProperties(of changes: StoreChanges, in model: ResolvedModel) {
        if tracksProperties { untold.touched.note(changes, in: model) }
    }
}

// Telling.
extension ChangeNotifier {
    /// Tells child contexts what changed since it last did, in the midst of a turn too: they look into their parent at
    /// any time. Complexity: O(changes).
    func tellChildren(of context: ManagedObjectContext) {
        guard hasNewsForChildren else { return }
        var changes = news.changes
        news = ChildNews()
        noteTurn &+= 1
        // Those of the turn are at least those of the changes.
        changes.changedProperties = tracksProperties ? untold.touched.names(in: context.model) : nil
        for child in children.values { child.value?.mailbox.put(changes) }
    }

    /// Tells observers and child contexts what changed since it last did. Complexity: O(changes).
    func tellObservers(in context: ManagedObjectContext) {
        tellChildren(of: context)
        guard hasNews else { return }
        var changes = untold
        beginTurn()
        changes.newcomers.settle()
        for observer in observers.values { observer.value?.contextDidChange(changes) }
        post(ManagedObjectContext.didChangeObjects, [ManagedObjectContext.changesKey: changes], from: context)
        if changeBroadcast.hasReaders { changeBroadcast.yield(changes.identities) }
    }

    private func beginTurn() {
        turn &+= 1
        noteTurn &+= 1
        untold = ContextChanges(newcomers: Newcomers(turn: turn))
    }

    /// Tells that a save is about to write.
    func tellOfSaveToCome(in context: ManagedObjectContext) {
        post(ManagedObjectContext.willSaveObjects, from: context)
    }

    /// Tells of a save.
    func tellOfSave(_ changes: ContextChanges, _ identities: StoreChanges, in context: ManagedObjectContext) {
        post(ManagedObjectContext.didSaveObjects, [ManagedObjectContext.changesKey: changes], from: context)
        post(ManagedObjectContext.didSaveObjectIDs, [ManagedObjectContext.identitiesKey: identities], from: context)
        saveBroadcast.yield(identities)
    }

    private func post(_ name: Notification.Name, _ userInfo: [String: Any] = [:], from context: ManagedObjectContext) {
        NotificationCenter.default.post(name: name, object: context, userInfo: userInfo)
    }

    /// Ends all telling: the context's work is done.
    func close() {
        untold = ContextChanges(newcomers: Newcomers(turn: turn))
        observers = [:]
        children = [:]
        news = ChildNews()
        changeBroadcast.finish()
        saveBroadcast.finish()
    }
}

extension ChangeNotifier {
    /// Returns where its books are wrong. Complexity: O(new objects of the turn).
    func _checkInvariants() -> [String] {
        var broken = BrokenInvariants()
        let newcomers = untold.newcomers
        broken.require(
            newcomers.turn == turn, "new objects of turn \(newcomers.turn) are to be told of in turn \(turn)")
        broken.require(
            newcomers.objects.count == newcomers.count,
            "\(newcomers.objects.count) new objects are to be told of, and \(newcomers.count) counted")
        broken.require(
            newcomers._length <= max(17, newcomers.count * 2),
            "\(newcomers.count) new objects have \(newcomers._length) places")
        return broken.messages
    }
}
