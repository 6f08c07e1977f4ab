import Backstitch
import BackstitchSQLite
import BackstitchServer
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("mistakes with a synced store", .timeLimit(.minutes(5)))
struct SyncMistakeTests {
    @Test("in its options are told with what is wrong and what to do", arguments: wrongOptions)
    func options(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    @Test(
        "in what the server's address leads to are told with it and what to do", arguments: wrongServers,
        HTTPLibrary.allCases)
    func servers(_ mistake: Mistake, _ library: HTTPLibrary) async {
        let flaw = await HTTPTransport.$library.withValue(library) { await mistake.flaw() }
        #expect(flaw == nil)
    }

    @Test("a failure that is tried again by itself says so in the log, and one that is not says that")
    func retries() {
        let lines = Locked<[String]>([])
        let notifier = SyncNotifier(logger: Logger(label: "test") { _ in LineLog(lines: lines) })
        let error = BackstitchError(.network, "nobody there")
        notifier.logRetry(of: error, number: 1, wait: 250)
        notifier.logFailure(error, wait: 1_500, isAwaited: true)
        notifier.logFailure(error, wait: nil, isAwaited: false)
        let told = lines.withLock { $0 }
        #expect(told.count == 3)
        #expect(told.allSatisfy { $0.contains("nobody there") })
        #expect(told[0].contains("is tried again by itself") && told[0].contains("0.25"))
        #expect(told[1].contains("is tried again by itself") && told[1].contains("1.5"))
        #expect(told[2].hasPrefix("warning") && told[2].contains("is not tried again"))
    }

    private static let wrongOptions = [
        Mistake("no server", throws: "\"syncServerURL\"", "https://example.org") { try open([:]) },
        Mistake("a server's address of another scheme", throws: "\"syncServerURL\"", "http or https", "ws://127.0.0.1")
        {
            try open([.syncServerURL: "ws://127.0.0.1:8080"])
        },
        Mistake("a server's address without a scheme", throws: "\"syncServerURL\"", "http or https", "127.0.0.1:8080") {
            try open([.syncServerURL: "127.0.0.1:8080"])
        },
        Mistake("an empty token", throws: "\"syncWebAuthToken\" is empty", "leave the option out") {
            try open([.syncServerURL: "http://127.0.0.1:1", .syncWebAuthToken: ""])
        },
        Mistake("a token with the end of its line", throws: "\"syncAPIToken\"", "a line break") {
            try open([.syncServerURL: "http://127.0.0.1:1", .syncAPIToken: "0123456789abcdef012345\n"])
        },
        Mistake(
            "a policy that there is not", throws: "\"syncConflictResolutionPolicy\"", "serverWins, clientWins", "newest"
        ) {
            try open([.syncServerURL: "http://127.0.0.1:1", .syncConflictResolutionPolicy: "newest"])
        },
        Mistake("the wrapped store's type in small letters", throws: "\"sqlite\"", "did you mean \"SQLite\"?") {
            try open([.syncServerURL: "http://127.0.0.1:1", .backingStoreType: "sqlite"])
        },
        Mistake("a required attribute", throws: "Note.title must be optional or have a default") {
            let model = ManagedObjectModel([EntityDescription("Note", [.attribute("title", .string, optional: false)])])
            let options: [StoreOption: any Sendable] = [.syncServerURL: "http://127.0.0.1:1"]
            try PersistentContainer(model: model, store: .init(type: .sync, options: options)).close()
        },
        Mistake("sync of a store that does not", throws: "of type SQLite", "open it with the type \"Sync\"") {
            _ = try PersistentContainer(model: SyncTestModel.description, store: .init(type: .sqlite)).requireSync()
        },
        Mistake("sync of a container that nobody holds", throws: "its container was released", "keep the container") {
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: "http://127.0.0.1:1", .syncAutomatically: false,
            ]
            let sync = try PersistentContainer(
                model: SyncTestModel.description, store: .init(type: .sync, options: options)
            ).requireSync()
            try await sync.sync()
        },
    ]

    private static let wrongServers = [
        Mistake("nobody listens", throws: "http://127.0.0.1:", "could not be reached", "syncServerURL") {
            let listener = try LoopbackHTTP { _ in .hangUp }
            listener.stop()
            try await sync(with: listener.url)
        },
        Mistake(
            "a site of pages", throws: "http://127.0.0.1:", "(text/html)", "does not come from a zone server",
            "syncServerURL"
        ) {
            try await sync { _ in
                .answer(
                    status: 200, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array("<html>".utf8))
            }
        },
        Mistake(
            "a site that does not know of it", throws: "http://127.0.0.1:", "status 404", "which no zone server sends",
            "syncServerURL"
        ) {
            try await sync { _ in
                .answer(status: 404, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
            }
        },
        Mistake("a server of something else", throws: "http://127.0.0.1:", "does not speak HTTP", "syncServerURL") {
            try await sync { _ in .raw(Array("SSH-2.0-OpenSSH_9.6\r\n".utf8)) }
        },
        Mistake(
            "a proxy that lets nobody in", throws: "http://127.0.0.1:", "status 403", "syncAPIToken", "syncWebAuthToken"
        ) {
            try await sync { _ in .answer(status: 403, headers: [("Content-Type", "text/html")]) }
        },
        Mistake(
            "no tokens for a server that wants them", throws: "http://127.0.0.1:", "syncAPIToken", "syncWebAuthToken"
        ) {
            let token = "Qm7zR2tK9wXb4NcV6yHs3Lp8"
            try await SyncWorld.run {
                $0.users = [.init(userRecordName: "_ann", webAuthToken: token)]
            } _: {
                try await sync(with: $0.url)
            }
        },
        Mistake("a wrong token", throws: "http://127.0.0.1:", "syncAPIToken", "syncWebAuthToken") {
            let token = "Qm7zR2tK9wXb4NcV6yHs3Lp8"
            try await SyncWorld.run {
                $0.users = [.init(userRecordName: "_ann", webAuthToken: token)]
            } _: {
                try await sync(with: $0.url, [.syncWebAuthToken: "fedcba9876543210fedcba9876543210"])
            }
        },
    ]

    private static func open(_ options: [StoreOption: any Sendable]) throws {
        try PersistentContainer(model: SyncTestModel.description, store: .init(type: .sync, options: options)).close()
    }

    private static func sync(_ handler: @escaping LoopbackHTTP.Handler) async throws {
        let server = try LoopbackHTTP(handler)
        defer { server.stop() }
        try await sync(with: server.url)
    }

    private static func sync(with url: URL, _ more: [StoreOption: any Sendable] = [:]) async throws {
        var options: [StoreOption: any Sendable] = [
            .syncServerURL: url.absoluteString, .syncAutomatically: false, .syncRequestTimeout: 5,
        ]
        options.merge(more) { $1 }
        let container = try PersistentContainer(
            model: SyncTestModel.description, store: .init(type: .sync, options: options))
        defer { try? container.close() }
        try await container.requireSync().sync()
    }
}
