import BackstitchSQL
import BackstitchSupport
import CloudWire
import TestSupport

@testable import BackstitchServer

// Accounts, their tokens and keys, and sign-ins.
extension PlanScenario {
    func people() throws {
        try transaction.lockIdentity()
        _ = try transaction.identityRevision()
        for name in ["ada", "bob", "gone"] {
            try transaction.insert(
                StoredAccount(name: name, alias: "alias of \(name)", emailAddress: "\(name)@example.org", created: 1))
        }
        try transaction.update(
            StoredAccount(name: "ada", alias: "countess", emailAddress: "ada@example.org", created: 1))
        try transaction.bind(issuer: "https://id.example.org", subject: "1", to: "ada", at: 1)
        _ = try transaction.account(named: "countess")
        _ = try transaction.account(addressed: "ada@example.org")
        _ = try transaction.account(issuer: "https://id.example.org", subject: "1")
        _ = try transaction.accounts(after: "", limit: 10)
        _ = try transaction.accounts(named: ["ada"], addresses: ["bob@example.org"], at: 1)
        for credential in ["", "1"] { _ = try transaction.end(of: Bearer(user: "ada", credential: credential), at: 1) }
        try transaction.removeAccount(named: "gone")
        try transaction.insert(StoredContainer(name: "iCloud.a", label: "", created: 1))
        _ = try transaction.declaredContainers()
        _ = try transaction.removeContainer("iCloud.none")
        let key = StoredServerKey(
            id: "1", publicKey: "key", account: "ada", containers: ["iCloud.a"], label: "", created: 1, expires: 9)
        try transaction.insert(key)
        _ = try transaction.serverKey("1")
        _ = try transaction.serverKeys(after: "", limit: 10)
        _ = try transaction.serverKeyCount()
        _ = try transaction.serverKeyIDs(limit: 10)
        _ = try transaction.removeServerKey("none")
        _ = try transaction.spend([1], of: "1", until: 5)
        _ = try transaction.removeSpentSignatures(endedBefore: 1, limit: 10)
        let spent = TokenDigest(of: strong("spent"))
        _ = try transaction.spendSignInToken(spent, until: 5)
        try transaction.restoreSignInToken(spent)
        _ = try transaction.spendSignInToken(spent, until: 5)
        _ = try transaction.removeSignInTokens(endedBefore: 1, limit: 10)
    }

    func credentials() throws {
        let old = TokenDigest(of: strong("old"))
        func credential(_ word: String, replaces: [UInt8] = []) -> StoredCredential {
            StoredCredential(
                digest: TokenDigest(of: strong(word)), id: word, kind: .web, account: "ada", created: 1, expires: 9,
                replaces: replaces)
        }
        let next = credential("new", replaces: old.bytes)
        _ = try transaction.insert(credential("old"))
        _ = try transaction.insert(next)
        _ = try transaction.credential(old)
        for account in [nil, "ada"] as [String?] {
            _ = try transaction.credentials(.web, of: account, after: "", limit: 10)
        }
        _ = try transaction.credentialCount(.web, of: "ada", at: 1)
        try transaction.retire(replacedBy: next, at: 5, until: 9)
        _ = try transaction.replacedToken(old, knownUntil: 20)
        _ = try transaction.removeOldestCredentials(of: "ada", beyond: 10)
        _ = try transaction.removeCredentials(.web, id: "none")
        _ = try transaction.removeReplacedTokens(endedBefore: 1, limit: 10)
        _ = try transaction.removeCredentials(endedBefore: 1, limit: 10)
        try transaction.noteIdentityChange(of: "ada", at: 1)
        try transaction.noteIdentities(at: 1)
        _ = try transaction.identityChanges(after: 0, at: 1)
        _ = try transaction.removeIdentityChanges(before: 1, limit: 10)
    }
}
