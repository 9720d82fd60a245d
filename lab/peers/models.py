"""A PSL model from files to answers: models.py pslpython|hinge FOLDER, where model.json and its data
lie. The program is that of a user of pslpython; with Hinge its imports alone change."""

import csv
import importlib
import json
import os
import sys

import side


def main(name, folder):
    if name == 'hinge':
        with open(os.path.join(folder, 'about.json'), encoding='utf-8') as f:
            sys.path.insert(0, json.load(f)['python'])
        kit = {part: importlib.import_module('hinge') for part in ('model', 'partition', 'predicate', 'rule')}
        kit['model'].Model.INFER_PATH = os.path.join(folder, 'infer')
    else:
        kit = {part: importlib.import_module('pslpython.' + part) for part in ('model', 'partition', 'predicate', 'rule')}
    with open(os.path.join(folder, 'model.json'), encoding='utf-8') as f:
        text = json.load(f)
    model = kit['model'].Model('peers')
    partition = kit['partition'].Partition
    for signature, files in text['predicates'].items():
        predicate, size = signature.split('/')
        predicate = kit['predicate'].Predicate(predicate, size=int(size))
        for key, part in (('observations', partition.OBSERVATIONS), ('targets', partition.TARGETS)):
            for file in files.get(key, []):
                predicate.add_data_file(part, os.path.join(folder, file))
        model.add_predicate(predicate)
    for rule in text['rules']:
        model.add_rule(kit['rule'].Rule(rule))
    results = model.infer(psl_options=text['options'])
    out = os.path.join(folder, name + '-out')
    os.makedirs(out, exist_ok=True)
    for predicate, frame in results.items():
        with open(os.path.join(out, predicate.name().upper() + '.txt'), 'w', encoding='utf-8', newline='') as f:
            csv.writer(f, delimiter='\t', lineterminator='\n').writerows(frame.itertuples(index=False))
    side.say(version=side.versions('pandas') if name == 'hinge' else side.versions('pslpython', 'pandas'))


main(*sys.argv[1:])
