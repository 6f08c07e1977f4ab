import BackstitchSQL
import CloudWire

/// The tables of a storage, and the steps by which they came to be as they are: a new storage takes all of them, an
/// older one those that it lacks.
///
/// Every key starts with the tenant, so that the tables can be partitioned by it. Records are kept in the order in
/// which they were written, where a database has such an order: their rows are wide, and the feed reads them so.
///
/// A step is there for good once a version has taken it. While servers of two versions share a database, the newer has
/// taken steps that the older does not know: the name of such a step begins with `+`, which says that the older one can
/// go on without it.
struct ZoneSchema {
    struct Step {
        let name: String
        let statements: [String]
        /// Work that no statement can do.
        var work: (SQLTransaction) throws -> Void = { _ in }
    }

    var steps: [Step]
    /// The table in which the steps are noted that were taken.
    let notes: String

    init(_ dialect: any SQLDialect, notes: String) {
        self.notes = notes
        let types = Types(dialect)
        let common = [
            Step(name: "1", statements: types.first),
            // Deletions are forgotten after a time.
            Step(
                name: "2",
                statements: [
                    "ALTER TABLE zone ADD COLUMN floor \(types.integer) NOT NULL DEFAULT 0",
                    "CREATE INDEX record_deleted ON record (modified) WHERE deleted = 1",
                ]),
            // The device that has made a record.
            Step(
                name: "3",
                statements: [
                    "ALTER TABLE record ADD COLUMN created_on \(types.text) NOT NULL DEFAULT '\(WireStamp.unnamedDevice)'"
                ]),
            Step(name: "emptying", statements: ["CREATE INDEX zone_emptying ON zone (state) WHERE state = 3"]),
            // Storages know whether they have gone back to an earlier state. Records from before have none.
            Step(
                name: "history",
                statements: [
                    "ALTER TABLE record ADD COLUMN history \(types.integer) NOT NULL DEFAULT 0",
                    """
                    CREATE TABLE life (
                        "only" \(types.integer) PRIMARY KEY CHECK ("only" = 1), history \(types.integer) NOT NULL,
                        commits \(types.integer) NOT NULL
                    )\(dialect.tableEnding(.wide))
                    """,
                ]),
            // The indexes by which a user's rows are counted and found, and the counters.
            Step(
                name: "limits",
                statements: [
                    "CREATE INDEX subscription_user ON subscription (tenant_id, \"user\")",
                    "DROP INDEX push_token_user",
                    "CREATE INDEX push_token_user ON push_token (tenant_id, \"user\", seen)",
                ] + UsageSchema.statements(dialect)
            ) { try $0.correctAssetSizes() },
            // Indexes for queries. A version that knows none would not keep them up.
            Step(name: "queries", statements: QuerySchema.statements(dialect)),
        ]
        let later = [
            // Accounts and their tokens. A version that knows none would refuse those who have them.
            Step(name: "identity", statements: IdentitySchema.statements(dialect)),
            // ID tokens that were taken. An older server has no sign-in.
            Step(name: "+sign-in", statements: SignInSchema.statements(dialect)),
            // Devices that can be woken. An older server wakes none.
            Step(name: "+wake", statements: WakeSchema.statements(dialect)),
            // Subscriptions to queries. A version that knows none lets them be.
            Step(name: "+query subscriptions", statements: types.querySubscriptions),
            // Shares. A version that knows none would not tell those with whom a zone is shared of its changes.
            Step(name: "sharing", statements: SharingSchema.statements(dialect)),
            // Tokens that were renewed. An older server notices nothing when one is used again.
            Step(name: "+replaced tokens", statements: IdentitySchema.replacedTokens(dialect)),
            // Shares of records. A version that knows none would show their guests the whole zone.
            Step(name: "record shares", statements: SharingSchema.recordShares(dialect)),
            // Public keys of participants. Where an older server writes a share they go, and are told again.
            Step(name: "+participant keys", statements: SharingSchema.participantKeys(dialect)),
            // The names under which push tokens were made. An older server notes none.
            Step(name: "+push clients", statements: ["ALTER TABLE push_token ADD COLUMN client \(types.text)"]),
            // The makers of indexes for queries. An older server makes room by their age alone.
            Step(name: "+query makers", statements: QuerySchema.makers(dialect)),
            // The room that participants take. What an older server writes of them is nobody's.
            Step(name: "+participant sizes", statements: SharingSchema.participantSizes(dialect)),
            // The tokens by which push tokens were made. What an older server makes ends with its user.
            Step(
                name: "+push credentials",
                statements: ["push_token", "wake_device"].map {
                    "ALTER TABLE \($0) ADD COLUMN credential \(types.text) NOT NULL DEFAULT ''"
                }),
        ]
        steps =
            common + (types.isShared ? [Step(name: "shared", statements: types.shared)] : []) + later
            // An older server reads pages without it, by sorting the zone.
            + (types.isShared ? [Step(name: "+feed", statements: types.feed)] : [])
    }

    /// The condition that makes a query one of the feed, after others; see ``Types/feed``.
    static func isInFeed(_ dialect: any SQLDialect) -> String {
        Types(dialect).isShared ? " AND sequence > 0" : ""
    }

    /// Takes the steps that the tables lack. Of several servers that begin at once one does, and the others wait.
    ///
    /// - Throws: ``ZoneServerError`` when a newer version has taken steps that this one cannot do without.
    func take(_ transaction: SQLTransaction, of storage: String) throws {
        if let turn = transaction.dialect.turn("zones") {
            try transaction.connection.run(SQLStatement(transaction.dialect, turn))
        }
        let text = transaction.dialect.types.text
        try transaction.execute(
            "CREATE TABLE IF NOT EXISTS \(names: notes) (identifier \(names: text) NOT NULL PRIMARY KEY)")
        let taken = try self.taken(transaction.connection)
        guard !isNewer(taken) else { throw Self.isNewer(storage) }
        for step in steps where !taken.contains(step.name) {
            for statement in step.statements {
                var statement = SQLStatement(transaction.dialect, statement)
                statement.isAdHoc = true
                try transaction.connection.run(statement)
            }
            try step.work(transaction)
            try transaction.execute("INSERT INTO \(names: notes) (identifier) VALUES (\(step.name))")
        }
    }

    /// The steps that were taken. The table of them is there.
    func taken(_ connection: any SQLConnection) throws -> Set<String> {
        var taken: Set<String> = []
        try connection.forEachRow(of: SQLStatement(connection.dialect, "SELECT identifier FROM \(notes)")) {
            taken.insert($0.text(0))
        }
        return taken
    }

    /// Whether a newer version has taken steps that this one cannot do without.
    func isNewer(_ taken: Set<String>) -> Bool {
        taken.subtracting(steps.map(\.name)).contains { !$0.hasPrefix("+") }
    }

    static func isNewer(_ storage: String) -> ZoneServerError {
        ZoneServerError(
            .storageFormat, "'\(storage)' was written by a newer version of this server; run that version")
    }
}
