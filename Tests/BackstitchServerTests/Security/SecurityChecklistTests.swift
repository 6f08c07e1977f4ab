import Foundation
import TestSupport
import Testing

/// The checklist of the server's security, one row after the other, each with the tests that hold it. A test that goes,
/// or is switched off, is missed here.
@Suite("the security checklist") struct SecurityChecklistTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The area, and the risk of OWASP's list of 2023 where there is one.
        let area: String
        /// The tests, by their file below `Tests` and the name of their function.
        let tests: [String: [String]]
        /// The part of the row that nothing holds yet, since it has not been built.
        var open: String?

        var testDescription: String { area }
    }

    private static let server = "BackstitchServerTests/"

    static let rows: [Row] = [
        Row(
            area: "API1 object authorisation",
            tests: [
                server + "AccessMatrixTests.swift": ["complete", "operations", "addresses"],
                server + "ZonesTests.swift": ["tenants"], server + "PushTests.swift": ["isolation"],
                server + "PublicRolesTests.swift": ["creator", "configured"],
                server + "QuerySubscriptions/QuerySubscriptionRefusalTests.swift": ["roles"],
                server + "RereferenceTests.swift": ["rights"],
            ], open: "row-level security of PostgreSQL as a second fence"),
        Row(
            area: "API1 tokens, cursors, batches",
            tests: [
                server + "ZoneChangesTests.swift": ["tokens", "recreation"],
                server + "Security/TokenScopeTests.swift": ["bits", "elsewhere"],
                server + "UnitTests.swift": ["marks", "tickets"],
                server + "IdempotencyTests.swift": ["keys", "otherBody"],
                server + "Queries/QueryRefusalTests.swift": ["markers"], server + "AssetTests.swift": ["receipts"],
            ]),
        Row(
            area: "API2 authentication",
            tests: [
                server + "AuthTests.swift": ["apiToken", "user", "badBearer", "noSecretsAtRest"],
                server + "TokenTests.swift": ["refused", "expiry", "replaced", "throttled"],
            ], open: "refreshed tokens with detection of their reuse"),
        Row(
            area: "API2 request signing",
            tests: [
                server + "Identity/SignatureVectorTests.swift": ["valid", "altered", "replay", "window"],
                server + "Identity/ServerKeyTests.swift": ["refused", "replay", "unread"],
                server + "Identity/SignaturePartsTests.swift": ["headers", "spent"],
            ]),
        Row(
            area: "API3 property authorisation",
            tests: [server + "Security/ServerFieldTests.swift": ["ownFields", "envelopes"]]),
        Row(
            area: "JSON",
            tests: [
                "CloudWireTests/JSONReaderTests.swift": [
                    "unicodeKeys", "keyCount", "depth", "surrogates", "scalars", "damage",
                ],
                server + "BadInputTests.swift": ["badJSON", "fuzz"],
            ]),
        Row(
            area: "Identifiers",
            tests: [
                server + "Security/NameTests.swift": ["names", "pairs"],
                server + "RecordsModifyTests.swift": ["unicodeNames"], server + "ZonesTests.swift": ["badNames"],
            ]),
        Row(
            area: "API4 resources",
            tests: [
                server + "Hostile/HostileLoadTests.swift": ["hostile"],
                server + "BadInputTests.swift": ["limits", "compressed"],
                server + "ConnectionLimitTests.swift": ["trickledHead", "perAddress", "busyConnections"],
                server + "ConnectionTests.swift": ["slowHead", "slowBody", "largeBody"],
                server + "AtOnceTests.swift": ["requests", "bytes", "bytesOfAll", "uploads"],
                server + "AnswerLimitTests.swift": ["everyRoute"],
                server + "QuotaTests.swift": ["records", "bytes", "counts", "rate"],
                server + "Security/QuotaRaceTests.swift": ["race"],
                server + "QuerySubscriptions/QuerySubscriptionRefusalTests.swift": ["ceilings", "many", "bounded"],
            ]),
        Row(
            area: "API5 function authorisation",
            tests: [
                server + "Operation/AdministrationTests.swift": ["routes"],
                server + "AuthTests.swift": ["development", "configuration", "declaredContainers"],
                "CommandTests/ServeTests.swift": ["holes"],
            ]),
        Row(
            area: "API6 flows",
            tests: [
                server + "QuotaTests.swift": ["zones", "databases", "rate"], server + "TokenTests.swift": ["throttled"],
                server + "Identity/UsersTests.swift": ["changes", "limits"],
            ]),
        Row(
            area: "API7 requests on behalf of others", tests: [server + "Security/ForeignAddressTests.swift": ["none"]]),
        Row(
            area: "Assets",
            tests: [
                server + "AssetTests.swift": ["receipts", "tooLarge", "saidSize", "addresses", "noPlace"],
                server + "Security/AssetPathTests.swift": ["paths", "inert"],
                server + "UnitTests.swift": ["multipart", "ranges"], server + "StorageTests.swift": ["links"],
                server + "ConnectionTests.swift": ["brokenUpload"],
                "BackstitchSupportTests/FileTests.swift": ["files", "folders", "content"],
            ]),
        Row(area: "Sharing", tests: [:], open: "there is no sharing yet"),
        Row(
            area: "API8 configuration and TLS",
            tests: [
                server + "TransportSecurityTests.swift": ["foreignKey"],
                server + "Operation/CrossOriginTests.swift": ["undeclared"],
                server + "BadInputTests.swift": ["log"], server + "Operation/RequestReportTests.swift": ["accessLog"],
                server + "Security/InternalErrorTests.swift": ["causes"],
                "BackstitchSyncTests/Security/SecrecyTests.swift": ["addressesAndLogs", "transportSecurity"],
                "BackstitchPostgreSQLTests/EncryptionTests.swift": ["modes", "defaultMode"],
            ]),
        Row(
            area: "At rest",
            tests: [
                server + "StorageTests.swift": ["modes", "foreignFolder", "links"],
                "BackstitchSQLiteTests/Opening/OpeningTests.swift": ["modes"],
                "BackstitchSQLTests/Assets/AssetDirectoryTests.swift": ["modes"],
                "BackstitchSyncTests/Security/CredentialTests.swift": ["kept", "links"],
            ], open: "encryption of what is kept"),
        Row(
            area: "API9 inventory",
            tests: [
                server + "Identity/RouteConformanceTests.swift": ["complete", "places", "unknown"],
                server + "AccessMatrixTests.swift": ["complete"],
                server + "GoldenTests/GoldenTests.swift": ["exchanges"],
            ]),
        Row(
            area: "API10 unsafe consumption",
            tests: [
                "BackstitchSyncTests/Plain/AnswerFuzzTests.swift": ["fuzz"],
                "BackstitchSyncTests/Plain/HostileServerTests.swift": ["tricks", "redirect", "poll"],
            ]),
        Row(
            area: "SQL injection",
            tests: [
                "BackstitchSQLTests/Predicates/PredicateSQLTests.swift": ["noInjection"],
                server + "Security/NameTests.swift": ["names"],
            ]),
        Row(
            area: "Supply chain",
            tests: [server + "Security/VersionTests.swift": ["sqlite"]],
            open: "a list of what is built in, and its vulnerabilities"),
    ]

    @Test("a row names tests, or says why there are none")
    func complete() {
        #expect(Self.rows.count == 19 && Set(Self.rows.map(\.area)).count == 19)
        for row in Self.rows { #expect(!row.tests.isEmpty || row.open != nil, "\(row.area)") }
    }

    @Test("the tests of a row are there, and run", arguments: rows)
    func held(_ row: Row) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for (file, names) in row.tests {
            let text = try String(decoding: Data(contentsOf: folder.appending(path: file)), as: UTF8.self)
            for name in names {
                let function = try Regex("@Test[^{}]*?func \(name)\\(").dotMatchesNewlines()
                guard let match = text.firstMatch(of: function) else {
                    Issue.record("\(row.area): \(file) has no test \(name)")
                    continue
                }
                #expect(!text[match.range].contains(".disabled"), "\(row.area): \(name) of \(file) is switched off")
            }
        }
    }
}
