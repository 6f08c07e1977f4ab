"""Runs pyicloud's client of CloudKit containers against a server: all that it can do, in each mode of its models.

Arguments: the server's address, its certificate, an API token and a user's token. Prints a line of JSON for each check
that fails, and one with their number at the end.
"""

import json
import sys

try:
    import requests
    from pydantic import ValidationError
    from pyicloud.common.cloudkit import (
        CKModifyOperation,
        CKQueryFilterBy,
        CKQueryObject,
        CKQuerySortBy,
        CKWriteRecord,
        CKZoneChangesZoneReq,
        CKZoneID,
        CKZoneIDReq,
    )
    from pyicloud.common.cloudkit.client import CloudKitApiError, CloudKitAuthError, CloudKitContainerClient
except ImportError as error:
    print(json.dumps({"lacking": str(error)}), flush=True)
    sys.exit(1)

address, certificate, api_token, web_token = sys.argv[1:5]
container = "iCloud.strangers/development"
session = requests.Session()
session.verify = certificate
session.trust_env = False
checks = 0
failures = 0
mode = ""


def expect(holds, what, *details):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print(json.dumps({"failed": f"{mode}: {what}", "details": [str(detail)[:800] for detail in details]}), flush=True)


def client(path, extra, **parameters):
    credentials = {"ckAPIToken": api_token, "ckWebAuthToken": web_token}
    return CloudKitContainerClient(
        base_url=f"{address}/{path}", session=session, base_params={**credentials, **parameters}, validation_extra=extra)


def refusal(call, what):
    """The error that a call ends with."""
    try:
        result = call()
    except CloudKitApiError as error:
        return error
    expect(False, f"{what} is refused", result)
    return CloudKitApiError("none")


def unknown_keys(call, what):
    """The keys of an answer that the strict models do not know, if that is all that they object to."""
    cause = refusal(call, what).__cause__
    if not isinstance(cause, ValidationError):
        return None
    found = set()
    for fault in cause.errors():
        # An element that may be one of several models has the faults of each.
        if "CKRecord" not in str(fault["loc"]) and "CKErrorItem" not in str(fault["loc"]):
            found.add((fault["type"], fault["loc"][-1]))
    return found


def operation(kind, name, tag=None, **fields):
    return CKModifyOperation(
        operationType=kind,
        record=CKWriteRecord(recordName=name, recordType="Pet", recordChangeTag=tag, fields=fields))


def text(value):
    return {"type": "STRING", "value": value}


def number(value):
    return {"type": "INT64", "value": value}


def names(response):
    return [record.recordName for record in response.records]


def changes(ck, zone):
    """Makes, changes and removes records by each of the seven operations."""

    def modify(*operations, atomic=None):
        return ck.modify(operations=list(operations), zone_id=zone, atomic=atomic).records

    def look(name):
        return ck.lookup([name], zone_id=zone).records[0]

    values = {
        "text": text("Rex"), "number": number(-7), "fraction": {"type": "DOUBLE", "value": 2.5},
        "born": {"type": "TIMESTAMP", "value": 1775666233042}, "bytes": {"type": "BYTES", "value": "AAEC"},
        "owner": {"type": "REFERENCE", "value": {"recordName": "B", "action": "NONE"}},
        "place": {"type": "LOCATION", "value": {"latitude": 48.1, "longitude": 11.5}},
        "texts": {"type": "STRING_LIST", "value": ["a", "b"]}, "numbers": {"type": "INT64_LIST", "value": [1, 2]},
        "fractions": {"type": "DOUBLE_LIST", "value": [0.5]},
        "owners": {"type": "REFERENCE_LIST", "value": [{"recordName": "B", "action": "NONE"}]},
        "times": {"type": "TIMESTAMP_LIST", "value": [1]},
    }
    first, second = modify(operation("create", "A", **values), operation("create", "B", text=text("Bob")), atomic=True)
    expect(first.recordName == "A" and second.recordName == "B", "answers stand in the order of the request")
    expect(first.zoneID.zoneName == zone.zoneName and first.created and first.deleted is False, "a record is whole", first)
    for name, value in values.items():
        kept = first.fields[name]
        expect(kept.type_tag == value["type"], f"the type of {name} stays", kept)
    expect(first.fields.get_value("text") == "Rex" and first.fields.get_value("number") == -7, "values stay", first)
    expect(first.fields.get_value("bytes") == b"\0\1\2", "bytes stay", first)

    [updated] = modify(operation("update", "A", first.recordChangeTag, number=number(8)))
    expect(updated.fields.get_value("text") == "Rex" and updated.fields.get_value("number") == 8, "update keeps others")
    expect(updated.recordChangeTag != first.recordChangeTag, "the tag changes")
    error = refusal(lambda: modify(operation("update", "A", first.recordChangeTag, number=number(9))), "an old tag")
    expect("CONFLICT" in str(error), "an old tag is CONFLICT", error)
    error = refusal(lambda: modify(operation("create", "A", text=text("again"))), "a second create")
    expect("CONFLICT" in str(error) and "already exists" in str(error), "a second create is CONFLICT", error)
    error = refusal(lambda: modify(operation("update", "never", "1", text=text("x"))), "an update of nothing")
    expect("NOT_FOUND" in str(error), "an update of nothing is NOT_FOUND", error)

    [forced] = modify(operation("forceUpdate", "A", number=number(10)))
    expect(forced.fields.get_value("text") == "Rex" and forced.fields.get_value("number") == 10, "forceUpdate", forced)
    [made] = modify(operation("forceUpdate", "C", text=text("Cat")))
    expect(made.fields.get_value("text") == "Cat", "forceUpdate makes what is missing", made)
    [replaced] = modify(operation("replace", "A", forced.recordChangeTag, number=number(11)))
    expect(set(replaced.fields) == {"number"}, "replace clears others", replaced)
    [replaced] = modify(operation("forceReplace", "A", text=text("Rex")))
    expect(set(replaced.fields) == {"text"}, "forceReplace clears others", replaced)

    error = refusal(
        lambda: modify(operation("forceUpdate", "B", text=text("lost")), operation("create", "A"), atomic=True), "atomic")
    expect("ATOMIC_ERROR" in str(error) and "CONFLICT" in str(error), "an atomic request has one culprit", error)
    expect(look("B").fields.get_value("text") == "Bob", "an atomic request that fails changes nothing")
    refusal(
        lambda: modify(operation("forceUpdate", "B", text=text("Bea")), operation("create", "A"), atomic=False), "a part")
    expect(look("B").fields.get_value("text") == "Bea", "a request that is not atomic changes what it can")

    error = refusal(lambda: modify(operation("delete", "C", "1")), "a deletion with an old tag")
    expect("CONFLICT" in str(error), "a deletion with an old tag is CONFLICT", error)
    [gone] = modify(operation("delete", "C", made.recordChangeTag))
    expect(gone.recordName == "C" and gone.deleted is True, "delete", gone)
    [gone] = modify(operation("forceDelete", "C"))
    expect(gone.deleted is True, "forceDelete of what is gone works", gone)


def lookups(ck, zone):
    found = ck.lookup(["A", "none", "B"], zone_id=zone).records
    expect(found[0].recordName == "A" and found[2].recordName == "B", "a lookup answers in its order", found)
    expect(found[1].serverErrorCode == "NOT_FOUND", "a record that is not there is NOT_FOUND", found[1])
    [record] = ck.lookup(["A"], zone_id=zone, desired_keys=["none"]).records
    expect(not record.fields, "desiredKeys leave fields out", record)
    error = ck.lookup(["A"], zone_id=CKZoneIDReq(zoneName="nowhere")).records[0]
    expect(error.serverErrorCode == "ZONE_NOT_FOUND", "a zone that is not there", error)


def queries(ck, zone):
    rows = [operation("create", f"q{place}", text=text(f"name {place}"), number=number(place % 3)) for place in range(9)]
    ck.modify(operations=rows, zone_id=zone)

    def ask(comparator, field, value, **more):
        filters = [CKQueryFilterBy(comparator=comparator, fieldName=field, fieldValue=value)]
        query = CKQueryObject(recordType="Pet", filterBy=filters, sortBy=[CKQuerySortBy(fieldName="text", ascending=False)])
        return ck.query(query=query, zone_id=zone, **more)

    expect(names(ask("EQUALS", "number", number(1))) == ["q7", "q4", "q1"], "EQUALS, in order")
    expect(names(ask("BEGINS_WITH", "text", text("name 8"))) == ["q8"], "BEGINS_WITH")
    expect(names(ask("IN", "text", {"type": "STRING_LIST", "value": ["name 2", "name 5"]})) == ["q5", "q2"], "IN")
    expect(names(ask("LESS_THAN", "number", number(1))) == ["q6", "q3", "q0"], "LESS_THAN")
    expect(len(names(ask("GREATER_THAN_OR_EQUALS", "number", number(0)))) == 9, "GREATER_THAN_OR_EQUALS")
    pages, marker = [], None
    while True:
        page = ask("BEGINS_WITH", "text", text("name"), results_limit=4, continuation=marker, desired_keys=["number"])
        pages.append(names(page))
        marker = page.continuationMarker
        if marker is None or len(pages) > 9:
            break
    expect([len(page) for page in pages] == [4, 4, 1], "pages of a query", pages)
    expect(sum(pages, []) == [f"q{place}" for place in range(8, -1, -1)], "pages have each record once", pages)
    wide = ck.query(query=CKQueryObject(recordType="Pet"), zone_wide=True)
    expect({"A", "B", "q0"} <= set(names(wide)), "a query of all zones", wide)
    token = client(f"database/1/{container}/private", mode or None, getCurrentSyncToken=True).query_sync_token(
        query=CKQueryObject(recordType="Pet"), zone_id=zone)
    expect(token, "a query tells the zone's token")
    following = ck.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName=zone.zoneName), syncToken=token))
    expect(following.zones[0].records == [], "nothing has changed since that token", following)


def feeds(ck, zone):
    def request(token=None):
        return CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName=zone.zoneName), syncToken=token)

    ck.modify(operations=[operation("create", "A", text=text("a")), operation("create", "B", text=text("b"))], zone_id=zone)
    found, token = [], None
    for page in ck.iter_changes(zone_req=request(), results_limit=1):
        found += [record.recordName for record in page.records if getattr(record, "deleted", None) is not True]
        token = page.syncToken
    expect(sorted(found) == ["A", "B"], "a feed has each record once", found)
    ck.modify(operations=[operation("create", "D", text=text("Dog"))], zone_id=zone)
    page = ck.changes(zone_req=request(token)).zones[0]
    expect(names(page) == ["D"], "a token goes on where it was given", page)
    later = page.syncToken
    expect(ck.changes(zone_req=request(later)).zones[0].records == [], "nothing new")
    error = refusal(lambda: ck.changes(zone_req=request("bm9uZQ==")), "a token of nobody")
    expect("BAD_REQUEST" in str(error), "a token of nobody is BAD_REQUEST", error)
    ck.modify(operations=[operation("forceDelete", "D")], zone_id=zone)
    if mode == "forbid":
        # CloudKit's feeds have these keys in a deletion; the strict models leave them out, others ask for them.
        found = unknown_keys(lambda: ck.changes(zone_req=request(later)), "a deletion in a feed")
        expect(
            found == {("extra_forbidden", "recordType"), ("extra_forbidden", "recordChangeTag")},
            "a deletion has a type that is null, and a tag", found)
    else:
        [gone] = ck.changes(zone_req=request(later)).zones[0].records
        expect(gone.recordName == "D" and gone.deleted is True, "a deletion in a feed", gone)


def databases(ck, zone):
    if mode == "forbid":
        # Keys that are documented, or were seen in CloudKit's own answers.
        found = unknown_keys(ck.zones_list, "zones/list")
        expect(found == {("extra_forbidden", "atomic")}, "a zone says whether it is atomic", found)
        found = unknown_keys(ck.database_changes, "changes/database")
        expect(found == {("extra_forbidden", "syncToken")}, "a zone that changed has its token", found)
        return
    zones = ck.zones_list().zones
    expect({"_defaultZone", zone.zoneName} <= {item.zoneID.zoneName for item in zones}, "zones/list", zones)
    first = ck.database_changes()
    expect(zone.zoneName in {item.zoneID.zoneName for item in first.zones}, "changes/database", first)
    expect(ck.database_changes(sync_token=first.syncToken).zones == [], "no zone has changed since")


def assets(ck, zone):
    content = bytes(place * 7 % 256 for place in range(100_000))
    token = ck.upload_asset(record_type="Pet", field_name="photo", record_name="P", data=content, zone_id=zone)
    expect(token.size == len(content) and token.fileChecksum, "the receipt of an upload", token)

    def save(name, value):
        asset = {"type": "ASSETID", "value": value}
        return ck.modify(operations=[operation("create", name, photo=asset)], zone_id=zone).records[0]

    save("P", token.model_dump(mode="json", exclude_none=True))
    [record] = ck.lookup(["P"], zone_id=zone).records
    url = record.fields.get_value("photo").downloadURL
    expect(ck.download_asset_bytes(url) == content, "an asset comes back")
    expect(b"".join(ck.download_asset_stream(url, chunk_size=4096)) == content, "an asset comes back in pieces")

    sources = [{"recordName": "P", "fieldName": "photo"}, {"recordName": "P", "fieldName": "none"}]
    again = ck.raw_post("/assets/rereference", {"zoneID": {"zoneName": zone.zoneName}, "assets": sources})["assets"]
    expect(again[0]["fileChecksum"] == token.fileChecksum and again[0]["receipt"], "rereference", again)
    expect(again[1]["serverErrorCode"] == "NOT_FOUND", "rereference of nothing", again)
    save("P2", again[0])
    ck.modify(operations=[operation("forceDelete", "P")], zone_id=zone)
    [record] = ck.lookup(["P2"], zone_id=zone).records
    expect(ck.download_asset_bytes(record.fields.get_value("photo").downloadURL) == content, "the same asset elsewhere")


def subscriptions(ck, zone):
    name = f"rex-{mode}"
    filters = [{"fieldName": "text", "comparator": "EQUALS", "fieldValue": text("Rex")}]
    wishes = [
        {"subscriptionID": name, "subscriptionType": "query", "zoneID": {"zoneName": zone.zoneName},
         "query": {"recordType": "Pet", "filterBy": filters}, "firesOn": ["create", "update", "delete"],
         "notificationInfo": {"alertBody": "Rex", "shouldSendContentAvailable": True}},
        {"subscriptionID": f"zone-{mode}", "subscriptionType": "zone", "zoneID": {"zoneName": zone.zoneName}},
    ]

    def modify(kind, items):
        operations = [{"operationType": kind, "subscription": item} for item in items]
        return ck.raw_post("/subscriptions/modify", {"operations": operations})["subscriptions"]

    made = modify("create", wishes[:1])
    expect(made[0].get("query", {}).get("filterBy") and made[0]["firesOn"] == ["create", "update", "delete"], "made", made)
    device = client(f"device/1/{container}", None)
    url = device.raw_post("/tokens/create", {"apnsEnvironment": "development"})["webcourierURL"]

    def wait():
        answer = session.get(url, params={"wait": 0}, timeout=30)
        return answer.json()["ck"] if answer.content else None

    ck.modify(operations=[operation("create", f"R{place}", text=text(value)) for place, value in enumerate(["Rex", "Max"])],
              zone_id=zone)
    heard = wait()
    expect(heard and heard["qry"] == {
        "sid": name, "rid": "R0", "fo": 1, "zid": zone.zoneName, "zoid": heard["ckuserid"], "dbs": 2}, "told", heard)
    expect(wait() is None, "of the other record nobody is told")
    made += modify("create", wishes[1:])
    listed = ck.raw_post("/subscriptions/list", {})["subscriptions"]
    expect(sorted(item["subscriptionID"] for item in listed) == sorted(item["subscriptionID"] for item in made), "list")
    found = ck.raw_post("/subscriptions/lookup", {"subscriptions": [{"subscriptionID": name}, {"subscriptionID": "none"}]})
    expect(found["subscriptions"][0]["subscriptionID"] == name, "lookup", found)
    expect(found["subscriptions"][1]["serverErrorCode"] == "NOT_FOUND", "lookup of nothing", found)
    gone = modify("delete", [{"subscriptionID": item["subscriptionID"]} for item in made])
    expect(all(item["deleted"] for item in gone), "deleted", gone)


def strangers(ck):
    public = client(f"database/1/{container}/public", mode or None)
    zone = CKZoneIDReq(zoneName="_defaultZone")
    public.modify(operations=[operation("forceReplace", "news", text=text("public"))], zone_id=zone)
    found = public.query(query=CKQueryObject(recordType="Pet"), zone_id=zone)
    expect(names(found) == ["news"], "the public database", found)
    caller = public.raw_post("/users/caller", {})
    expect(caller["userRecordName"] == caller["users"][0]["userRecordName"], "users/caller", caller)
    error = refusal(lambda: public.raw_post("/zones/modify", {"operations": []}), "zones of the public database")
    expect("not applicable" in error.payload["reason"], "zones of the public database", error.payload)
    nobody = client(f"database/1/{container}/private", mode or None, ckWebAuthToken="nobody-0123456789abcdefghij")
    error = refusal(lambda: nobody.zones_list(), "a token of nobody")
    expect(error.payload["serverErrorCode"] == "AUTHENTICATION_REQUIRED", "a token of nobody", error.payload)
    program = client(f"database/1/{container}/private", mode or None, ckAPIToken="nobody-0123456789abcdefghij")
    try:
        program.zones_list()
        expect(False, "an unknown API token is refused")
    except CloudKitAuthError:
        expect(True, "an unknown API token is refused")


for mode in ["", "allow", "ignore", "forbid"]:
    ck = client(f"database/1/{container}/private", mode or None)
    for task in [changes, lookups, feeds, queries, databases, assets, subscriptions]:
        # A feed that is read from its beginning has the deletions of others too.
        place = "main" if task in (changes, lookups, queries, databases) else task.__name__
        zone = CKZoneIDReq(zoneName=f"Pets-{mode or 'none'}-{place}")
        ck.raw_post("/zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone.zoneName}}}]})
        try:
            task(ck, zone)
        except Exception as error:
            cause = error.__cause__ or getattr(error, "payload", None)
            expect(False, f"{task.__name__} goes through", repr(error), cause)
    strangers(ck)

print(json.dumps({"checks": checks, "failures": failures}), flush=True)
sys.exit(failures != 0)
