import Backstitch
import BackstitchSupport

/// The operations of a server, without HTTP: one value for each subject, over one ``ServerContext``.
///
/// It only puts them together, so that routes, the clean-up and the life of a server have one thing to hold. An
/// operation of the wire is a method of its subject, with a scope and a message.
final class ZoneService: Sendable {
    let context: ServerContext
    let records: RecordOperations
    let queries: QueryOperations
    let zones: ZoneOperations
    let changes: ChangeFeed
    let shares: ShareOperations
    let assets: AssetOperations
    let subscriptions: SubscriptionOperations
    let pushTokens: PushTokenOperations
    let accounts: AccountOperations
    let notifier: Notifier

    /// Makes the operations of a storage.
    ///
    /// - Parameter assets: The store for the content of assets; nil for the storage's own folder.
    init(
        storage: ZoneStorage, assets: (any AssetContentStore)? = nil, configuration: ZoneServerConfiguration,
        metrics: ServerMetrics = ServerMetrics()
    ) {
        let context = ServerContext(storage: storage, configuration: configuration, metrics: metrics)
        self.context = context
        records = RecordOperations(server: context)
        queries = QueryOperations(server: context)
        zones = ZoneOperations(server: context)
        changes = ChangeFeed(server: context)
        shares = ShareOperations(server: context)
        self.assets = AssetOperations(
            server: context,
            contents: MeasuredContentStore(
                assets ?? FolderContentStore(storage.assets, runner: configuration.runner), metrics.content))
        subscriptions = SubscriptionOperations(server: context)
        pushTokens = PushTokenOperations(server: context)
        accounts = AccountOperations(
            server: context,
            signIn: configuration.signInProviders.isEmpty ? nil : SignIn(configuration, storage: storage))
        notifier = Notifier(server: context)
    }
}
