public import Foundation

/// The settings with which a store is opened.
public struct StoreConfiguration: Sendable {
    /// The model, checked. Requests are in its terms.
    public let model: ResolvedModel
    /// The part of the model that the store holds; often all of it.
    public let storedModel: ResolvedModel
    /// The configuration's name that this part has; nil for all.
    public let part: String?
    /// Where: a file, a folder or a server, as the store's type has it; nil for a store in memory.
    public let url: URL?
    /// The options, checked against the type's specifications.
    public let options: StoreOptions
    /// Where the time comes from.
    public let clock: any WallClock
    /// Where new keys come from.
    public let generator: ObjectIDGenerator
    /// Told of changes that the store made other than by a save of this coordinator: a sync, another process.
    public let changeHandler: @Sendable (StoreChanges) -> Void
    /// Whether saves fill an outbox: set by the store that syncs.
    public let keepsOutbox: Bool
    /// Whether the store is only read: neither is it made when it is missing, nor migrated, nor written to.
    public let isReadOnly: Bool
    /// The ways from older versions of the model that take code.
    public let migrationStages: [MigrationStage]

    /// A configuration.
    public init(
        model: ResolvedModel, storedModel: ResolvedModel? = nil, part: String? = nil, url: URL?,
        options: StoreOptions, clock: any WallClock = SystemClock(), generator: ObjectIDGenerator = ObjectIDGenerator(),
        keepsOutbox: Bool = false, isReadOnly: Bool = false,
        migrationStages: [MigrationStage] = [], changeHandler: @escaping @Sendable (StoreChanges) -> Void = { _ in }
    ) {
        self.model = model
        self.storedModel = storedModel ?? model
        self.part = part
        self.url = url
        self.options = options
        self.clock = clock
        self.generator = generator
        self.keepsOutbox = keepsOutbox
        self.isReadOnly = isReadOnly
        self.migrationStages = migrationStages
        self.changeHandler = changeHandler
    }
}
